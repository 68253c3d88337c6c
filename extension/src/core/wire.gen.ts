// Generated from onnxlab/wire/schema.py by `npm run wire`; do not edit.
// schema 4a7cc7b902192ec140c12d2b85dce6aeb6163d075e1eab4b72eadd4a3cba4b1e

export const WIRE_VERSION = 1;

export type Request = NodeRequest | ValueRequest | ShapesRequest;
export type Response = NodeDetail | ValueDetail | ShapeColumns | Failure;

/**
 * All that a view needs to draw: sent once; details follow on request.
 */
export interface ViewDocument {
  version: number;
  header: ModelHeader;
  graph: GraphColumns;
  findings: FindingMessage[];
  metrics: Metric[];
  profiles: ProfileColumns[];
  details: NodeDetail[];
  shapes_complete: boolean;
}
/**
 * The one line above a graph, and what stands in the model panel.
 */
export interface ModelHeader {
  name: string;
  summary: string;
  entries: Entry[];
}
/**
 * A key with its text, both of them possibly the model's: show as text only.
 */
export interface Entry {
  key: string;
  text: string;
}
/**
 * A `GraphTable` as bytes.
 */
export interface GraphColumns {
  strings: string[];
  graph_name: Uint8Array;
  graph_kind: Uint8Array;
  graph_owner: Uint8Array;
  graph_attribute: Uint8Array;
  graph_inputs_start: Uint8Array;
  graph_inputs: Uint8Array;
  graph_outputs_start: Uint8Array;
  graph_outputs: Uint8Array;
  scope_parent: Uint8Array;
  scope_name: Uint8Array;
  scope_kind: Uint8Array;
  scope_node: Uint8Array;
  node_op: Uint8Array;
  node_domain: Uint8Array;
  node_name: Uint8Array;
  node_graph: Uint8Array;
  node_index: Uint8Array;
  node_scope: Uint8Array;
  node_flags: Uint8Array;
  node_inputs_start: Uint8Array;
  node_inputs: Uint8Array;
  node_outputs_start: Uint8Array;
  node_outputs: Uint8Array;
  value_name: Uint8Array;
  value_graph: Uint8Array;
  value_kind: Uint8Array;
  value_producer: Uint8Array;
  value_dtype: Uint8Array;
  value_shape: Uint8Array;
  value_size_bytes: Uint8Array;
}
/**
 * A `onnxlab.analysis.finding.Finding`, with node rows for its addresses.
 */
export interface FindingMessage {
  code: string;
  severity: 'error' | 'info' | 'warning';
  hazard: string;
  remedy: string;
  why: string;
  nodes: number[];
  count: number;
}
/**
 * A number per node, by which the graph can be coloured and searched.
 */
export interface Metric {
  key: string;
  label: string;
  unit: '' | 'bytes' | 'count' | 'share' | 'us';
  estimated: boolean;
  additive: boolean;
  values: Uint8Array;
}
/**
 * What one provider did with the model.
 */
export interface ProfileColumns {
  label: string;
  provider: string;
  wall: Interval;
  regions: Region[];
  node_region: Uint8Array;
  node_fate: Uint8Array;
  fates: string[];
}
/**
 * A number with its confidence interval, in microseconds.
 */
export interface Interval {
  value: number;
  low: number;
  high: number;
}
/**
 * Kernels that ran one or several original nodes, or were inserted for one.
 */
export interface Region {
  label: string;
  kind: 'inserted' | 'node' | 'region' | 'unattributed';
  nodes: number[];
  time_us: number;
  share: number;
}
/**
 * Everything about one node that the columns do not hold.
 */
export interface NodeDetail {
  type: 'node';
  node: number;
  address: string;
  attributes: Attribute[];
  doc: string;
  metadata: Entry[];
  schema_doc: string;
}
/**
 * One attribute of a node.
 */
export interface Attribute {
  name: string;
  type: string;
  text: string;
}
/**
 * Ask for a `NodeDetail`.
 */
export interface NodeRequest {
  type: 'node';
  node: number;
}
/**
 * Ask for a `ValueDetail`.
 */
export interface ValueRequest {
  type: 'value';
  value: number;
}
/**
 * Ask for `ShapeColumns`.
 */
export interface ShapesRequest {
  type: 'shapes';
}
/**
 * Everything about one value that the columns do not hold.
 */
export interface ValueDetail {
  type: 'value';
  value: number;
  address: string;
  entries: Entry[];
  doc: string;
  preview: string;
}
/**
 * Inferred types and shapes, replacing those of `GraphColumns`.
 */
export interface ShapeColumns {
  type: 'shapes';
  strings: string[];
  value_dtype: Uint8Array;
  value_shape: Uint8Array;
  value_size_bytes: Uint8Array;
  problem: string;
}
/**
 * A request that could not be answered, as one line.
 */
export interface Failure {
  type: 'failure';
  message: string;
}
