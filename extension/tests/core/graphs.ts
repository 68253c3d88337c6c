/** Small graphs for tests, in the columns of the wire. */

import { buildGraph, type Graph } from '../../src/core/document.js';
import type { GraphColumns, ViewDocument } from '../../src/core/wire.gen.js';

export interface TestNode {
  readonly op: string;
  readonly name?: string;
  /** Names of modules around it: "encoder/layer.0". */
  readonly scope?: string;
  readonly inputs?: readonly string[];
  readonly outputs: readonly string[];
  readonly flags?: number;
}

export interface TestModel {
  readonly nodes: readonly TestNode[];
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly weights?: readonly string[];
  readonly shapes?: Readonly<Record<string, string>>;
}

const INT32_COLUMNS = [
  'graph_name',
  'graph_owner',
  'graph_attribute',
  'graph_inputs_start',
  'graph_inputs',
  'graph_outputs_start',
  'graph_outputs',
  'scope_parent',
  'scope_name',
  'scope_node',
  'node_op',
  'node_domain',
  'node_name',
  'node_graph',
  'node_index',
  'node_scope',
  'node_inputs_start',
  'node_inputs',
  'node_outputs_start',
  'node_outputs',
  'value_name',
  'value_graph',
  'value_producer',
  'value_dtype',
  'value_shape',
] as const;
const UINT8_COLUMNS = ['graph_kind', 'scope_kind', 'node_flags', 'value_kind'] as const;

type Column = (typeof INT32_COLUMNS)[number] | (typeof UINT8_COLUMNS)[number];

/** Columns as plain lists, for tests that need what `model` does not offer (bodies, say). */
export class Table {
  readonly strings = [''];
  readonly columns = new Map<Column, number[]>();
  private readonly known = new Map([['', 0]]);
  private readonly scopes = new Map<string, number>();

  constructor() {
    for (const column of [...INT32_COLUMNS, ...UINT8_COLUMNS])
      this.columns.set(column, column.endsWith('_start') ? [0] : []);
    this.scope('', -1, 0);
  }

  text(text: string): number {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    this.known.set(text, this.strings.length);
    return this.strings.push(text) - 1;
  }

  /** Append to columns; gives the row. */
  row(values: Partial<Record<Column, number>>): number {
    let row = 0;
    for (const [column, value] of Object.entries(values))
      row = this.list(column as Column).push(value) - 1;
    return row;
  }

  /** Append a list to a ragged column. */
  lists(
    column: 'graph_inputs' | 'graph_outputs' | 'node_inputs' | 'node_outputs',
    items: readonly number[],
  ): void {
    this.list(column).push(...items);
    this.list(`${column}_start`).push(this.list(column).length);
  }

  scope(name: string, parent: number, kind: number, node = -1): number {
    return this.row({
      scope_name: this.text(name),
      scope_parent: parent,
      scope_kind: kind,
      scope_node: node,
    });
  }

  path(path: string): number {
    let scope = 0;
    let key = '';
    for (const part of path.split('/').filter(Boolean)) {
      key += `/${part}`;
      const parent = scope;
      scope = this.scopes.get(key) ?? this.scope(part, parent, 1);
      this.scopes.set(key, scope);
    }
    return scope;
  }

  value(name: string, kind: number, producer = -1, shape = '', graph = 0): number {
    return this.row({
      value_name: this.text(name),
      value_graph: graph,
      value_kind: kind,
      value_producer: producer,
      value_dtype: this.text('f32'),
      value_shape: this.text(shape),
    });
  }

  private list(column: Column): number[] {
    return this.columns.get(column) ?? [];
  }

  toColumns(): GraphColumns {
    const columns: Record<string, unknown> = { strings: this.strings };
    for (const column of INT32_COLUMNS)
      columns[column] = bytesOf(Int32Array.from(this.list(column)));
    for (const column of UINT8_COLUMNS) columns[column] = Uint8Array.from(this.list(column));
    columns.value_size_bytes = bytesOf(new Float64Array(this.list('value_name').length).fill(-1));
    return columns as unknown as GraphColumns;
  }
}

/** As a decoder gives it: a view somewhere within a larger buffer. */
export function bytesOf(array: Int32Array | Float64Array): Uint8Array {
  const bytes = new Uint8Array(array.byteLength + 1);
  bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), 1);
  return bytes.subarray(1);
}

export function columnsOf(model: TestModel): GraphColumns {
  const table = new Table();
  const values = new Map<string, number>();
  const shape = (name: string) => model.shapes?.[name] ?? '';
  for (const name of model.inputs ?? []) values.set(name, table.value(name, 1, -1, shape(name)));
  for (const name of model.weights ?? []) values.set(name, table.value(name, 2, -1, shape(name)));
  model.nodes.forEach((node, row) => {
    for (const name of node.outputs) values.set(name, table.value(name, 0, row, shape(name)));
  });
  const rowOf = (name: string) => (name ? (values.get(name) ?? -1) : -1);
  model.nodes.forEach((node, index) => {
    table.row({
      node_op: table.text(node.op),
      node_domain: 0,
      node_name: table.text(node.name ?? ''),
      node_graph: 0,
      node_index: index,
      node_scope: table.path(node.scope ?? ''),
      node_flags: node.flags ?? 0,
    });
    table.lists('node_inputs', (node.inputs ?? []).map(rowOf));
    table.lists('node_outputs', node.outputs.map(rowOf));
  });
  table.row({ graph_name: 0, graph_kind: 0, graph_owner: -1, graph_attribute: 0 });
  table.lists('graph_inputs', (model.inputs ?? []).map(rowOf));
  table.lists('graph_outputs', (model.outputs ?? []).map(rowOf));
  return table.toColumns();
}

export function graphOf(model: TestModel): Graph {
  return buildGraph(columnsOf(model));
}

export function documentOf(columns: GraphColumns): ViewDocument {
  return {
    version: 1,
    header: { name: 'test.onnx', summary: '', entries: [] },
    graph: columns,
    findings: [],
    metrics: [],
    profiles: [],
    details: [],
    shapes_complete: true,
  };
}

/** A chain of nodes, each reading the one before. */
export function chain(count: number, scope: (i: number) => string = () => ''): TestModel {
  return {
    inputs: ['x'],
    outputs: [`v${count - 1}`],
    nodes: Array.from({ length: count }, (_, i) => ({
      op: 'Relu',
      scope: scope(i),
      inputs: [i === 0 ? 'x' : `v${i - 1}`],
      outputs: [`v${i}`],
    })),
  };
}
