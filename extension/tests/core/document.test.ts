import { encode } from '@msgpack/msgpack';
import { describe, expect, it } from 'vitest';
import {
  buildGraph,
  decodeDocument,
  float64Column,
  int32Column,
  nameOf,
  rowsOf,
  typeOf,
} from '../../src/core/document.js';
import { bytesOf, columnsOf, documentOf, graphOf } from './graphs.js';

describe('columns', () => {
  it('are read at any byte offset', () => {
    const bytes = bytesOf(Int32Array.of(1, -2, 70_000));
    expect(bytes.byteOffset % 4).not.toBe(0);
    expect([...int32Column(bytes)]).toEqual([1, -2, 70_000]);
    expect([...float64Column(bytesOf(Float64Array.of(0.5, Number.NaN)))]).toEqual([
      0.5,
      Number.NaN,
    ]);
  });

  it('are copies: what the bytes become later does not matter', () => {
    const bytes = bytesOf(Int32Array.of(7));
    const column = int32Column(bytes);
    bytes.fill(0);
    expect(column[0]).toBe(7);
  });

  it('of an impossible length are refused with the length', () => {
    expect(() => int32Column(new Uint8Array(5))).toThrow(/5 bytes/);
  });
});

describe('a document', () => {
  const model = {
    inputs: ['x'],
    outputs: ['z'],
    weights: ['w'],
    shapes: { y: '1×8' },
    nodes: [
      { op: 'Conv', name: 'first', inputs: ['x', 'w', ''], outputs: ['y'] },
      { op: 'Add', inputs: ['y', 'y'], outputs: ['z'] },
    ],
  };

  it('survives the wire', () => {
    const document = decodeDocument(encode(documentOf(columnsOf(model))));
    const graph = buildGraph(document.graph);
    expect(nameOf(graph, 0)).toBe('first');
    expect(graph.nodeOp).toHaveLength(2);
    expect(rowsOf(graph.nodeInputs, 0)[2]).toBe(-1);
  });

  it('of another version is refused with what to do', () => {
    const bytes = encode({ ...documentOf(columnsOf(model)), version: 99 });
    expect(() => decodeDocument(bytes)).toThrow(/version 1.*99.*reload/s);
  });

  it('gives each value its users, once per use', () => {
    const graph = graphOf(model);
    const y = rowsOf(graph.nodeOutputs, 0)[0] ?? -1;
    expect([...rowsOf(graph.consumers, y)]).toEqual([1, 1]);
    expect(typeOf(graph, y)).toBe('f32 1×8');
  });
});
