import { describe, expect, it } from 'vitest';
import { at, byte, real } from '../../src/core/arrays.js';
import { buildHierarchy, canOpen, type Hierarchy } from '../../src/core/hierarchy.js';
import { ARC_STRIDE } from '../../src/core/layout.js';
import { ArcFlag, layoutScene, type Scene } from '../../src/core/scene.js';
import { type VisibleGraph, visibleGraph } from '../../src/core/visible.js';
import { chain, graphOf, type TestModel } from './graphs.js';

function draw(model: TestModel): { tree: Hierarchy; graph: VisibleGraph; scene: Scene } {
  const tree = buildHierarchy(graphOf(model));
  const open = new Set(
    Array.from(tree.parent, (_, item) => item).filter((item) => item > 0 && canOpen(tree, item)),
  );
  const graph = visibleGraph(tree, open, () => ({ width: 90, height: 26 }));
  return { tree, graph, scene: layoutScene(graph) };
}

const NESTED = chain(40, (i) => `encoder/layer.${Math.floor(i / 8)}/${i % 8 < 4 ? 'a' : 'b'}`);
/** A residual around every other node. */
const RESIDUAL: TestModel = {
  ...NESTED,
  nodes: NESTED.nodes.map((node, i) =>
    i > 3 && i % 3 === 0 ? { ...node, op: 'Add', inputs: [`v${i - 1}`, `v${i - 4}`] } : node,
  ),
};

describe('a scene of opened groups', () => {
  it('keeps boxes apart and content within its group, below the title', () => {
    const { graph, scene } = draw(RESIDUAL);
    for (let a = 0; a < graph.item.length; a++) {
      const parent = at(graph.parent, a);
      if (parent >= 0) {
        expect(real(scene.x, a)).toBeGreaterThan(real(scene.x, parent));
        expect(real(scene.y, a)).toBeGreaterThan(real(scene.y, parent) + 20);
        expect(real(scene.x, a) + real(scene.w, a)).toBeLessThan(
          real(scene.x, parent) + real(scene.w, parent),
        );
        expect(real(scene.y, a) + real(scene.h, a)).toBeLessThan(
          real(scene.y, parent) + real(scene.h, parent),
        );
      }
      for (let b = a + 1; b < graph.item.length; b++) {
        if (at(graph.parent, b) !== parent) continue;
        const apartX = Math.max(
          real(scene.x, a) - real(scene.x, b) - real(scene.w, b),
          real(scene.x, b) - real(scene.x, a) - real(scene.w, a),
        );
        const apartY = Math.max(
          real(scene.y, a) - real(scene.y, b) - real(scene.h, b),
          real(scene.y, b) - real(scene.y, a) - real(scene.h, a),
        );
        expect(Math.max(apartX, apartY)).toBeGreaterThan(0);
      }
    }
  });

  it('leads every edge without a gap from its source to its target', () => {
    const { graph, scene } = draw(RESIDUAL);
    const reached = new Set<string>();
    for (let arc = 0; arc < scene.arcSource.length; arc++) {
      if (!(byte(scene.arcFlags, arc) & ArcFlag.LAST) || byte(scene.arcFlags, arc) & ArcFlag.UPWARD)
        continue;
      let piece = arc;
      for (let steps = 0; steps < 1000 && at(scene.arcBefore, piece) >= 0; steps++) {
        const before = at(scene.arcBefore, piece);
        expect(scene.arcs[before * ARC_STRIDE + 3]).toBeCloseTo(
          real(scene.arcs, piece * ARC_STRIDE),
          3,
        );
        expect(scene.arcs[before * ARC_STRIDE + 5]).toBeCloseTo(
          real(scene.arcs, piece * ARC_STRIDE + 1),
          3,
        );
        piece = before;
      }
      const source = at(scene.arcSource, arc);
      expect(scene.arcs[piece * ARC_STRIDE + 1]).toBeCloseTo(
        real(scene.y, source) + real(scene.h, source),
        3,
      );
      reached.add(`${source} ${at(scene.arcTarget, arc)}`);
    }
    expect(reached.size).toBe(graph.edgeSource.length);
  });

  it('stands when groups feed each other in circles', () => {
    const { scene } = draw(chain(40, (i) => `layer.${i % 5}`));
    const upward = scene.arcFlags.filter((flags) => flags & ArcFlag.UPWARD);
    expect(upward.length).toBeGreaterThan(0);
    expect(scene.arcs.every(Number.isFinite)).toBe(true);
  });

  it('is the same every time', () => {
    expect(draw(RESIDUAL).scene).toEqual(draw(RESIDUAL).scene);
  });

  it('of 20,000 nodes in a row overflows no stack', () => {
    const { scene } = draw(chain(20_000));
    expect(scene.x).toHaveLength(20_002);
  });

  it('of 300 nested groups overflows no stack', () => {
    const nodes = Array.from({ length: 600 }, (_, i) => ({
      op: 'Relu',
      scope: Array.from({ length: Math.floor(i / 2) }, (_, k) => `m${k}`).join('/'),
      inputs: [i === 0 ? 'x' : `v${i - 1}`],
      outputs: [`v${i}`],
    }));
    const { scene } = draw({ inputs: ['x'], outputs: ['v599'], nodes });
    expect(Number.isFinite(scene.height)).toBe(true);
  });

  it('runs the edges of stacked outputs together', () => {
    const layers = 60;
    const nodes = Array.from({ length: layers }, (_, i) => ({
      op: 'Relu',
      scope: 'model',
      inputs: [i === 0 ? 'x' : `h${i - 1}`],
      outputs: [`h${i}`, `present.${i}`],
    }));
    const outputs = Array.from({ length: layers }, (_, i) => `present.${i}`);
    const { scene } = draw({ inputs: ['x'], outputs, nodes });
    expect(scene.arcSource.length).toBeLessThan(5 * layers);
    expect(scene.width).toBeLessThan(400);
  });
});
