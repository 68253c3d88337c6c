import { describe, expect, it } from 'vitest';
import { at, real } from '../../src/core/arrays.js';
import { ARC_STRIDE, type Level, type LevelLayout, layoutLevel } from '../../src/core/layout.js';
import { Pin } from '../../src/core/rank.js';

type Edge = readonly [number, number];

function level(count: number, edges: readonly Edge[], changes: Partial<Level> = {}): Level {
  const source = Int32Array.from(edges, ([a]) => a);
  return {
    count,
    width: new Float64Array(count).map((_, i) => 40 + ((i * 37) % 120)),
    height: new Float64Array(count).map((_, i) => 20 + ((i * 13) % 30)),
    pin: new Uint8Array(count),
    source,
    target: Int32Array.from(edges, ([, b]) => b),
    sourceX: new Float64Array(edges.length),
    targetX: new Float64Array(edges.length),
    trunk: source,
    merge: new Int32Array(edges.length).fill(-1),
    ...changes,
  };
}

/** Numbers that look random and are the same on every run. */
function randomEdges(count: number, edgeCount: number, seed: number, mayTurn = false): Edge[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const edges = new Map<string, Edge>();
  for (let i = 0; i < edgeCount; i++) {
    const a = Math.floor(next() * count);
    const b = Math.floor(next() * count);
    if (a === b) continue;
    const edge: Edge = mayTurn || a < b ? [a, b] : [b, a];
    edges.set(edge.join(), edge);
  }
  return [...edges.values()];
}

function overlaps({ width, height, count }: Level, { x, y }: LevelLayout): string[] {
  const found: string[] = [];
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const apartX = Math.abs(real(x, a) - real(x, b)) - (real(width, a) + real(width, b)) / 2;
      const apartY = Math.abs(real(y, a) - real(y, b)) - (real(height, a) + real(height, b)) / 2;
      if (Math.max(apartX, apartY) < 1) found.push(`${a} and ${b}`);
    }
  }
  return found;
}

describe('a level', () => {
  it.each([1, 2, 3, 4, 5])('of random boxes has no overlap (seed %i)', (seed) => {
    const input = level(120, randomEdges(120, 200, seed));
    const layout = layoutLevel(input);
    expect(overlaps(input, layout)).toEqual([]);
    input.width.forEach((width, box) => {
      expect(real(layout.x, box) - width / 2).toBeGreaterThanOrEqual(-0.001);
      expect(real(layout.x, box) + width / 2).toBeLessThanOrEqual(layout.width + 0.001);
    });
  });

  it('has its edges go down', () => {
    const input = level(80, randomEdges(80, 160, 9));
    const { y } = layoutLevel(input);
    input.source.forEach((source, e) => {
      expect(real(y, at(input.target, e))).toBeGreaterThan(real(y, source));
    });
  });

  it('has arcs that start and end at the borders of boxes', () => {
    const input = level(60, randomEdges(60, 100, 4));
    const { arcs, arcEdge, arcBefore, arcIsLast, x, y } = layoutLevel(input);
    arcEdge.forEach((edge, arc) => {
      const k = arc * ARC_STRIDE;
      const source = at(input.source, edge);
      const target = at(input.target, edge);
      if (at(arcBefore, arc) < 0) {
        expect(arcs[k]).toBeCloseTo(real(x, source));
        expect(arcs[k + 1]).toBeCloseTo(real(y, source) + real(input.height, source) / 2);
      } else {
        const before = at(arcBefore, arc) * ARC_STRIDE;
        expect(arcs[k]).toBeCloseTo(real(arcs, before + 3));
        expect(arcs[k + 1]).toBeCloseTo(real(arcs, before + 5));
      }
      if (arcIsLast[arc])
        expect(arcs[k + 5]).toBeCloseTo(real(y, target) - real(input.height, target) / 2);
    });
  });

  it('with cycles and double edges ends, and says what it turned', () => {
    const ring = level(3, [
      [0, 1],
      [1, 2],
      [2, 0],
    ]);
    expect([...layoutLevel(ring).turned]).toEqual([0, 0, 1]);
    const tangle = level(100, randomEdges(100, 400, 7, true));
    expect(overlaps(tangle, layoutLevel(tangle))).toEqual([]);
  });

  it('that is a chain of 20,000 stands upright and overflows no stack', () => {
    const count = 20_000;
    const edges = Array.from({ length: count - 1 }, (_, i): Edge => [i, i + 1]);
    const layout = layoutLevel(level(count, edges));
    expect(new Set([...layout.x].map((x) => x.toFixed(3))).size).toBe(1);
  });

  it('with one value used 5,000 times stays linear in arcs', () => {
    const count = 5_000;
    const edges = Array.from({ length: count - 1 }, (_, i): Edge => [0, i + 1]);
    expect(layoutLevel(level(count, edges)).arcEdge).toHaveLength(count - 1);
  });

  it('shares the way of long edges from one source', () => {
    const spine = Array.from({ length: 50 }, (_, i): Edge => [i, i + 1]);
    const skips = Array.from({ length: 49 }, (_, i): Edge => [0, i + 2]);
    const arcs = layoutLevel(level(51, [...spine, ...skips])).arcEdge.length;
    expect(arcs).toBeLessThan(200);
  });

  it('runs merged edges together into their target', () => {
    const spine = Array.from({ length: 50 }, (_, i): Edge => [i, i + 1]);
    const outs = Array.from({ length: 49 }, (_, i): Edge => [i, 51]);
    const edges = [...spine, ...outs];
    const merge = Int32Array.from(edges, ([, b]) => (b === 51 ? 51 : -1));
    const pin = new Uint8Array(52);
    pin[51] = Pin.BOTTOM;
    const layout = layoutLevel(level(52, edges, { merge, pin }));
    expect(layout.arcEdge.length).toBeLessThan(200);
    expect([...layout.arcIsLast].filter(Boolean)).toHaveLength(spine.length + 1);
  });

  it('keeps ports at its borders', () => {
    const pin = Uint8Array.of(Pin.TOP, 0, 0, Pin.BOTTOM);
    const { y } = layoutLevel(
      level(
        4,
        [
          [0, 2],
          [1, 2],
          [2, 3],
        ],
        { pin },
      ),
    );
    expect(Math.min(...y)).toBe(y[0]);
    expect(Math.max(...y)).toBe(y[3]);
    expect(real(y, 1)).toBeGreaterThan(real(y, 0));
  });

  it('is the same every time', () => {
    const input = level(90, randomEdges(90, 150, 11));
    expect(layoutLevel(input)).toEqual(layoutLevel(input));
  });

  it.each([0, 1])('of %i boxes is no special case', (count) => {
    const layout = layoutLevel(level(count, []));
    expect(layout.x).toHaveLength(count);
    expect(Number.isFinite(layout.width) && Number.isFinite(layout.height)).toBe(true);
  });
});
