/** Inputs and outputs: type, shape, and where they come from or go; a click travels there. */

import { at, byte } from '../core/arrays.js';
import { type Graph, nameOf, opOf, rowsOf, text, typeOf, ValueKind } from '../core/document.js';
import { elide, oneLine, plural, quantity } from '../core/format.js';
import type { Controller } from './controller.js';

const MOST_VALUES = 24;
const MOST_USERS = 6;
const NAME_LIMIT = 34;

interface Props {
  readonly controller: Controller;
  readonly title: string;
  readonly values: readonly number[];
  readonly isOutput?: boolean;
}

export function Values({ controller, title, values, isOutput = false }: Props) {
  if (values.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ol class="onnxlab-values">
        {values.slice(0, MOST_VALUES).map((value, place) => (
          <li key={place}>
            {value < 0 ? (
              <span class="onnxlab-muted">left out</span>
            ) : (
              <Value controller={controller} value={value} isOutput={isOutput} />
            )}
          </li>
        ))}
      </ol>
      {values.length > MOST_VALUES && (
        <p class="onnxlab-muted">and {plural(values.length - MOST_VALUES, 'more value')}</p>
      )}
    </section>
  );
}

function Value({
  controller,
  value,
  isOutput,
}: {
  controller: Controller;
  value: number;
  isOutput: boolean;
}) {
  const { graph } = controller.store.tree.value;
  const name = oneLine(text(graph, at(graph.valueName, value)));
  const type = typeOf(graph, value);
  return (
    <>
      <span class="onnxlab-code" title={name}>
        {elide(name, NAME_LIMIT)}
      </span>
      <span class="onnxlab-code onnxlab-type" title={sizeOf(graph, value)}>
        {type || 'type not known'}
      </span>
      {isOutput ? (
        <Users controller={controller} value={value} />
      ) : (
        <Source controller={controller} value={value} />
      )}
    </>
  );
}

function sizeOf(graph: Graph, value: number): string {
  const size = graph.valueSizeBytes[value] ?? -1;
  return size >= 0 ? quantity(size, 'bytes') : 'size not known';
}

const SOURCES: Readonly<Record<number, string>> = {
  [ValueKind.INPUT]: 'input of the graph',
  [ValueKind.INITIALIZER]: 'weight',
  [ValueKind.UNDEFINED]: 'defined nowhere',
};

function Source({ controller, value }: { controller: Controller; value: number }) {
  const { graph } = controller.store.tree.value;
  const producer = at(graph.valueProducer, value);
  if (producer < 0)
    return <span class="onnxlab-muted">{SOURCES[byte(graph.valueKind, value)]}</span>;
  return (
    <span>
      ← <NodeLink controller={controller} node={producer} />
    </span>
  );
}

function Users({ controller, value }: { controller: Controller; value: number }) {
  const { graph } = controller.store.tree.value;
  const users = [...new Set(rowsOf(graph.consumers, value))];
  if (users.length === 0)
    return (
      <span class="onnxlab-muted">
        {isGraphOutput(graph, value) ? 'output of the graph' : 'not used'}
      </span>
    );
  return (
    <span>
      {users.slice(0, MOST_USERS).map((user) => (
        <span key={user}>
          → <NodeLink controller={controller} node={user} />{' '}
        </span>
      ))}
      {users.length > MOST_USERS && (
        <span class="onnxlab-muted">and {users.length - MOST_USERS} more</span>
      )}
    </span>
  );
}

function isGraphOutput(graph: Graph, value: number): boolean {
  return graph.graphOutputs.items.includes(value);
}

export function NodeLink({ controller, node }: { controller: Controller; node: number }) {
  const { graph } = controller.store.tree.value;
  const name = oneLine(nameOf(graph, node));
  return (
    <button
      type="button"
      class="onnxlab-link"
      title={name}
      onClick={() => controller.focusNode(node)}
    >
      {opOf(graph, node)}
    </button>
  );
}
