import { describe, expect, it } from 'vitest';
import { search } from '../../src/core/search.js';
import { graphOf } from './graphs.js';

const graph = graphOf({
  inputs: ['x'],
  weights: ['w'],
  shapes: { x: '1×3×224×224', a: '1×64×112×112', b: '1×64×112×112', c: '1×10' },
  outputs: ['c'],
  nodes: [
    {
      op: 'Conv',
      name: '/layer1/conv/Conv',
      scope: 'layer1/conv',
      inputs: ['x', 'w'],
      outputs: ['a'],
    },
    { op: 'Relu', name: '/layer1/Relu', scope: 'layer1', inputs: ['a'], outputs: ['b'] },
    { op: 'ConvTranspose', name: 'up', scope: 'layer2', inputs: ['b'], outputs: ['c'] },
  ],
});
const TIME = { key: 'time.cpu', values: Float64Array.of(1500, 20, Number.NaN) };

describe('search', () => {
  it.each([
    ['', []],
    ['conv', [0, 2]],
    ['op:conv', [0, 2]],
    ['op:relu', [1]],
    ['name:layer1', [0, 1]],
    ['scope:layer1.conv', [0]],
    ['shape:1x64', [0, 1, 2]],
    ['shape:3,224', [0]],
    ['1x10', [2]],
    ['dtype:f32', [0, 1, 2]],
    ['dtype:int8', []],
    ['time>1ms', [0]],
    ['time.cpu<100us', [1]],
    ['time>=20', [0, 1]],
    ['op:conv time>0', [0]],
    ['layer1 relu', [1]],
    ['nothing', []],
    ['op:', []],
  ])('%s', (query, rows) => expect([...search(graph, query, [TIME])]).toEqual(rows));

  it('takes an unknown column as text', () => {
    expect([...search(graph, 'flops>3', [TIME])]).toEqual([]);
  });

  it('takes what looks like a pattern literally', () => {
    expect([...search(graph, '.*(', [TIME])]).toEqual([]);
  });
});
