/** From the bytes of a `ViewDocument` to a read-only graph of typed arrays. */

import { decode } from '@msgpack/msgpack';
import { at, byte, type Ragged, ragged } from './arrays.js';
import {
  type GraphColumns,
  type ShapeColumns,
  type ViewDocument,
  WIRE_VERSION,
} from './wire.gen.js';

export const GraphKind = { MAIN: 0, BODY: 1, FUNCTION: 2 } as const;
export const ScopeKind = { ROOT: 0, MODULE: 1, NODE: 2, BODY: 3 } as const;
export const ValueKind = { NODE_OUTPUT: 0, INPUT: 1, INITIALIZER: 2, UNDEFINED: 3 } as const;
export const NodeFlag = {
  CONSTANT: 1,
  HAS_BODY: 2,
  UNKNOWN_OP: 4,
  IN_CYCLE: 8,
  UNSORTED: 16,
  UNUSED: 32,
} as const;

/** The columns of a model's graphs; names hold indices into `strings`, -1 means none. */
export interface Graph {
  readonly strings: readonly string[];
  readonly graphName: Int32Array;
  readonly graphKind: Uint8Array;
  readonly graphOwner: Int32Array;
  readonly graphAttribute: Int32Array;
  readonly graphInputs: Ragged;
  readonly graphOutputs: Ragged;
  readonly scopeParent: Int32Array;
  readonly scopeName: Int32Array;
  readonly scopeKind: Uint8Array;
  readonly scopeNode: Int32Array;
  readonly nodeOp: Int32Array;
  readonly nodeDomain: Int32Array;
  readonly nodeName: Int32Array;
  readonly nodeGraph: Int32Array;
  readonly nodeIndex: Int32Array;
  readonly nodeScope: Int32Array;
  readonly nodeFlags: Uint8Array;
  readonly nodeInputs: Ragged;
  readonly nodeOutputs: Ragged;
  readonly valueName: Int32Array;
  readonly valueGraph: Int32Array;
  readonly valueKind: Uint8Array;
  readonly valueProducer: Int32Array;
  readonly valueDtype: Int32Array;
  readonly valueShape: Int32Array;
  readonly valueSizeBytes: Float64Array;
  /** Per value: the node rows that read it, in order, once per use. */
  readonly consumers: Ragged;
}

/** Decode and check a document. */
export function decodeDocument(bytes: Uint8Array): ViewDocument {
  const document = decode(bytes) as ViewDocument;
  if (document?.version !== WIRE_VERSION) {
    throw new Error(
      `This view reads version ${WIRE_VERSION} of a model's description, not ${String(document?.version)}: ` +
        'restart the kernel or reload the page so that both sides of onnxlab are of one version.',
    );
  }
  return document;
}

/** A copy as int32: columns arrive at any byte offset, which a view would refuse. */
export function int32Column(bytes: Uint8Array): Int32Array {
  return new Int32Array(copyOf(bytes, 4));
}

/** A copy as float64. */
export function float64Column(bytes: Uint8Array): Float64Array {
  return new Float64Array(copyOf(bytes, 8));
}

function copyOf(bytes: Uint8Array, width: number): ArrayBuffer {
  if (bytes.byteLength % width !== 0) {
    throw new Error(`A column of ${bytes.byteLength} bytes is not made of ${width}-byte numbers.`);
  }
  return new Uint8Array(bytes).buffer;
}

/** The graph a document describes. */
export function buildGraph(columns: GraphColumns): Graph {
  const nodeInputs = pair(columns.node_inputs_start, columns.node_inputs);
  const valueName = int32Column(columns.value_name);
  return {
    strings: columns.strings,
    graphName: int32Column(columns.graph_name),
    graphKind: new Uint8Array(columns.graph_kind),
    graphOwner: int32Column(columns.graph_owner),
    graphAttribute: int32Column(columns.graph_attribute),
    graphInputs: pair(columns.graph_inputs_start, columns.graph_inputs),
    graphOutputs: pair(columns.graph_outputs_start, columns.graph_outputs),
    scopeParent: int32Column(columns.scope_parent),
    scopeName: int32Column(columns.scope_name),
    scopeKind: new Uint8Array(columns.scope_kind),
    scopeNode: int32Column(columns.scope_node),
    nodeOp: int32Column(columns.node_op),
    nodeDomain: int32Column(columns.node_domain),
    nodeName: int32Column(columns.node_name),
    nodeGraph: int32Column(columns.node_graph),
    nodeIndex: int32Column(columns.node_index),
    nodeScope: int32Column(columns.node_scope),
    nodeFlags: new Uint8Array(columns.node_flags),
    nodeInputs,
    nodeOutputs: pair(columns.node_outputs_start, columns.node_outputs),
    valueName,
    valueGraph: int32Column(columns.value_graph),
    valueKind: new Uint8Array(columns.value_kind),
    valueProducer: int32Column(columns.value_producer),
    valueDtype: int32Column(columns.value_dtype),
    valueShape: int32Column(columns.value_shape),
    valueSizeBytes: float64Column(columns.value_size_bytes),
    consumers: invert(nodeInputs, valueName.length),
  };
}

/** The same graph with inferred types and shapes. */
export function withShapes(graph: Graph, shapes: ShapeColumns): Graph {
  return {
    ...graph,
    strings: shapes.strings,
    valueDtype: int32Column(shapes.value_dtype),
    valueShape: int32Column(shapes.value_shape),
    valueSizeBytes: float64Column(shapes.value_size_bytes),
  };
}

function pair(start: Uint8Array, items: Uint8Array): Ragged {
  return { start: int32Column(start), items: int32Column(items) };
}

function invert(inputs: Ragged, valueCount: number): Ragged {
  const users = new Int32Array(inputs.items.length);
  for (let node = 0; node + 1 < inputs.start.length; node++) {
    users.fill(node, at(inputs.start, node), at(inputs.start, node + 1));
  }
  return ragged(valueCount, inputs.items, users);
}

export function text(graph: Graph, index: number): string {
  return graph.strings[index] ?? '';
}

export function opOf(graph: Graph, node: number): string {
  return text(graph, at(graph.nodeOp, node));
}

export function nameOf(graph: Graph, node: number): string {
  return text(graph, at(graph.nodeName, node));
}

export function hasFlag(graph: Graph, node: number, flag: number): boolean {
  return (byte(graph.nodeFlags, node) & flag) !== 0;
}

/** The rows in one list of a ragged column. */
export function rowsOf(lists: Ragged, key: number): Int32Array {
  return lists.items.subarray(at(lists.start, key), at(lists.start, key + 1));
}

/** "f32 1×3×224×224", or what of it is known. */
export function typeOf(graph: Graph, value: number): string {
  const dtype = text(graph, at(graph.valueDtype, value));
  const shape = text(graph, at(graph.valueShape, value));
  return [dtype, shape].filter(Boolean).join(' ');
}
