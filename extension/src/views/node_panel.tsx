/** Everything about the selected box. */

import { at } from '../core/arrays.js';
import { hasFlag, NodeFlag, nameOf, opOf, rowsOf } from '../core/document.js';
import { grouped, oneLine, plural } from '../core/format.js';
import { ItemKind, kindOf, nodeOf, nodesIn, portOf } from '../core/hierarchy.js';
import type { Controller } from './controller.js';
import { Details } from './details.js';
import { factsOf, fateSentence, fatesOf } from './facts.js';
import { NodeLink, Values } from './values.js';

export function NodePanel({ controller }: { controller: Controller }) {
  const { store } = controller;
  const { item, nodes } = store.selection.value;
  if (item < 0) {
    return <p class="onnxlab-muted">Nothing is selected. Click a box, or search.</p>;
  }
  const tree = store.tree.value;
  const facts = factsOf(store, item);
  const node = nodes.length === 1 ? (nodes[0] ?? -1) : nodeOf(tree, item);
  const isFolded = node >= 0 && nodeOf(tree, item) !== node;
  return (
    <>
      <h2>
        {isFolded ? opOf(tree.graph, node) : facts.title}
        <small class="onnxlab-code">
          {isFolded ? oneLine(nameOf(tree.graph, node)) : facts.name}
        </small>
      </h2>
      {facts.lines.length > 0 && !isFolded && (
        <ul class="onnxlab-lines">
          {facts.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {node >= 0 ? (
        <OfNode controller={controller} node={node} />
      ) : (
        <OfItem controller={controller} item={item} />
      )}
    </>
  );
}

function OfNode({ controller, node }: { controller: Controller; node: number }) {
  const { graph } = controller.store.tree.value;
  return (
    <>
      <Flags controller={controller} node={node} />
      <RegionMembers controller={controller} node={node} />
      <Values
        controller={controller}
        title="inputs"
        values={Array.from(rowsOf(graph.nodeInputs, node))}
      />
      <Values
        controller={controller}
        title="outputs"
        values={Array.from(rowsOf(graph.nodeOutputs, node))}
        isOutput
      />
      <Details controller={controller} node={node} />
    </>
  );
}

const FLAG_SENTENCES: readonly (readonly [number, string])[] = [
  [NodeFlag.UNKNOWN_OP, 'No operator of this name is known.'],
  [NodeFlag.IN_CYCLE, 'Part of a cycle: the model cannot run.'],
  [NodeFlag.UNSORTED, 'Uses a value that a later node makes.'],
  [NodeFlag.UNUSED, 'None of its outputs reaches an output of the model.'],
];

function Flags({ controller, node }: { controller: Controller; node: number }) {
  const { graph } = controller.store.tree.value;
  return (
    <>
      {FLAG_SENTENCES.filter(([flag]) => hasFlag(graph, node, flag)).map(([flag, sentence]) => (
        <p key={flag} class="onnxlab-warning">
          ⚠ {sentence}
        </p>
      ))}
    </>
  );
}

const MOST_MEMBERS = 12;

/** The other nodes that ran as one kernel with this one. */
function RegionMembers({ controller, node }: { controller: Controller; node: number }) {
  const fates = fatesOf(controller.store, node).filter(
    (fate) => (fate.region?.nodes.length ?? 0) > 1,
  );
  return (
    <>
      {fates.map((fate) => (
        <section key={fate.profile.label}>
          <h3>together with</h3>
          <p title={fateSentence(fate)}>
            {fate.region?.nodes
              .filter((other) => other !== node)
              .slice(0, MOST_MEMBERS)
              .map((other) => (
                <NodeLink key={other} controller={controller} node={other} />
              ))}
          </p>
        </section>
      ))}
    </>
  );
}

const MOST_OPS = 14;

function OfItem({ controller, item }: { controller: Controller; item: number }) {
  const tree = controller.store.tree.value;
  if (kindOf(tree, item) === ItemKind.PORT) {
    const port = portOf(tree, item);
    return (
      <Values
        controller={controller}
        title={port?.output ? 'outputs' : 'inputs'}
        values={Array.from(port?.values ?? [])}
        isOutput={!port?.output}
      />
    );
  }
  const counts = new Map<string, number>();
  for (const node of nodesIn(tree, item)) {
    const op = opOf(tree.graph, node);
    counts.set(op, (counts.get(op) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return (
    <section>
      <h3>operators</h3>
      <table class="onnxlab-pairs">
        <tbody>
          {sorted.slice(0, MOST_OPS).map(([op, count]) => (
            <tr key={op}>
              <th class="onnxlab-code">{op}</th>
              <td>{grouped(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MOST_OPS && (
        <p class="onnxlab-muted">and {plural(sorted.length - MOST_OPS, 'more kind')}</p>
      )}
      <p class="onnxlab-muted">
        {controller.store.open.value.has(item) ? 'Esc closes' : 'Enter or a double click opens'}{' '}
        this group of {grouped(at(tree.size, item))}.
      </p>
    </section>
  );
}
