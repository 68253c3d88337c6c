/** Hazard, remedy, why; and the nodes concerned. */

import { plural } from '../core/format.js';
import type { FindingMessage } from '../core/wire.gen.js';
import type { Controller } from './controller.js';
import { NodeLink } from './values.js';

const SIGNS: Readonly<Record<FindingMessage['severity'], string>> = {
  error: '✖',
  warning: '⚠',
  info: 'ℹ',
};
const MOST_LINKS = 8;

export function FindingsPanel({ controller }: { controller: Controller }) {
  const { findings } = controller.store.document.value;
  if (findings.length === 0)
    return <p class="onnxlab-muted">Nothing to report about this model.</p>;
  return (
    <ul class="onnxlab-findings">
      {findings.map((finding, place) => (
        <li key={place} class={`onnxlab-${finding.severity}`}>
          <Finding controller={controller} finding={finding} />
        </li>
      ))}
    </ul>
  );
}

function Finding({ controller, finding }: { controller: Controller; finding: FindingMessage }) {
  const { nodes } = finding;
  const showAll = () => {
    const first = nodes[0];
    if (first !== undefined) controller.focusNode(first);
    controller.store.selectNodes(nodes);
    controller.store.tab.value = 'findings';
  };
  return (
    <>
      <strong>
        <span role="img" aria-label={finding.severity}>
          {SIGNS[finding.severity]}
        </span>{' '}
        {finding.hazard}
      </strong>
      {finding.remedy && <p>{finding.remedy}</p>}
      {finding.why && <p class="onnxlab-muted">{finding.why}</p>}
      {nodes.length > 0 && (
        <p>
          {nodes.slice(0, MOST_LINKS).map((node) => (
            <NodeLink key={node} controller={controller} node={node} />
          ))}
          {nodes.length > 1 && (
            <button type="button" class="onnxlab-link" onClick={showAll}>
              select {plural(finding.count, 'place')}
            </button>
          )}
        </p>
      )}
    </>
  );
}
