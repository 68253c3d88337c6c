/**
 * What a host loads only when there is something to draw: JupyterLab by a dynamic import, the widget from the kernel,
 * once per page.
 */
export { decode, encode } from '@msgpack/msgpack';
export { decodeDocument } from '../core/document.js';
export { mount } from '../views/mount.js';
