import { describe, expect, it } from 'vitest';
import { buildHierarchy } from '../../src/core/hierarchy.js';
import { Layouter } from '../../src/core/layouter.js';
import { layoutScene } from '../../src/core/scene.js';
import { type VisibleGraph, visibleGraph } from '../../src/core/visible.js';
import { chain, graphOf } from './graphs.js';

function graphOfSize(count: number): VisibleGraph {
  const tree = buildHierarchy(graphOf(chain(count, (i) => `layer.${Math.floor(i / 50)}`)));
  const open = new Set(Array.from({ length: tree.scopeCount - 1 }, (_, i) => i + 1));
  return visibleGraph(tree, open, () => ({ width: 90, height: 26 }));
}

// Node has no `Worker`: this is what happens where a policy blocks them.
describe('without a worker', () => {
  it('large graphs are laid out in slices, alike', async () => {
    const graph = graphOfSize(3000);
    expect(await new Layouter().layout(graph)).toEqual(layoutScene(graph));
  });

  it('a later request overtakes an earlier one', async () => {
    const layouter = new Layouter();
    const first = layouter.layout(graphOfSize(20_000));
    const second = layouter.layout(graphOfSize(10));
    expect(await first).toBeNull();
    expect((await second)?.x).toHaveLength(13);
  });

  it('nothing comes after the end', async () => {
    const layouter = new Layouter();
    const scene = layouter.layout(graphOfSize(20_000));
    layouter.dispose();
    expect(await scene).toBeNull();
  });
});
