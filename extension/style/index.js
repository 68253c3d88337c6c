import './core.css';
import './hosts.css';
