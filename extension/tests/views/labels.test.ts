import { describe, expect, it } from 'vitest';
import { buildHierarchy } from '../../src/core/hierarchy.js';
import { layoutScene } from '../../src/core/scene.js';
import { visibleGraph } from '../../src/core/visible.js';
import { type EdgeLabel, edgeLabels } from '../../src/views/labels.js';
import { graphOf, type TestModel } from '../core/graphs.js';

function labelsOf(model: TestModel): readonly EdgeLabel[] {
  const tree = buildHierarchy(graphOf(model));
  const graph = visibleGraph(tree, new Set(), () => ({ width: 90, height: 26 }));
  const labels = edgeLabels(tree.graph, { graph, scene: layoutScene(graph) });
  return labels.sort((a, b) => a.y - b.y);
}

const shapes = { x: '1×3', a: '1×8', b: '1×8', c: '1×16', y: '[]' };

describe('types beside edges', () => {
  it('stand at each straight edge of a chain', () => {
    const labels = labelsOf({
      inputs: ['x'],
      outputs: ['y'],
      shapes,
      nodes: [
        { op: 'Conv', inputs: ['x'], outputs: ['a'] },
        { op: 'Relu', inputs: ['a'], outputs: ['y'] },
      ],
    });
    expect(labels.map(({ text }) => text)).toEqual(['f32 1×3', 'f32 1×8', 'f32 []']);
  });

  it('stay away where another edge runs', () => {
    const labels = labelsOf({
      inputs: ['x'],
      outputs: ['y'],
      shapes,
      nodes: [
        { op: 'Conv', inputs: ['x'], outputs: ['a'] },
        { op: 'Relu', inputs: ['a'], outputs: ['b'] },
        { op: 'Neg', inputs: ['a'], outputs: ['c'] },
        { op: 'Add', inputs: ['b', 'c'], outputs: ['y'] },
      ],
    });
    expect(labels.map(({ text }) => text)).toEqual(['f32 1×3', 'f32 []']);
  });

  it('are left out where an edge stands for several values', () => {
    const labels = labelsOf({
      inputs: ['x'],
      outputs: ['y'],
      shapes,
      nodes: [
        { op: 'Split', inputs: ['x'], outputs: ['a', 'b'] },
        { op: 'Add', inputs: ['a', 'b'], outputs: ['y'] },
      ],
    });
    expect(labels.map(({ text }) => text)).toEqual(['f32 1×3', 'f32 []']);
  });
});
