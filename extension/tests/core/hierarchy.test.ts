import { describe, expect, it } from 'vitest';
import { at } from '../../src/core/arrays.js';
import { buildGraph, NodeFlag } from '../../src/core/document.js';
import {
  ancestorsOf,
  buildHierarchy,
  childCount,
  type Hierarchy,
  labelOf,
  nodesIn,
  portOf,
  sublabelOf,
} from '../../src/core/hierarchy.js';
import { openAtFirst, visibleGraph } from '../../src/core/visible.js';
import { chain, graphOf, Table } from './graphs.js';

const SIZE = { width: 80, height: 26 };

function labelsIn(tree: Hierarchy, group: number): string[] {
  const children = tree.children.items.subarray(
    at(tree.children.start, group),
    at(tree.children.start, group + 1),
  );
  return Array.from(children, (item) => labelOf(tree, item));
}

function shown(tree: Hierarchy, open: ReadonlySet<number>): { boxes: string[]; edges: string[] } {
  const graph = visibleGraph(tree, open, () => SIZE);
  const label = (box: number) => labelOf(tree, at(graph.item, box));
  return {
    boxes: Array.from(graph.item, (_, box) => label(box)),
    edges: Array.from(
      graph.edgeSource,
      (source, e) => `${label(source)} → ${label(at(graph.edgeTarget, e))}`,
    ),
  };
}

describe('the hierarchy', () => {
  it('stands nodes in their modules, inputs and outputs at the root', () => {
    const tree = buildHierarchy(graphOf(chain(6, (i) => `layer.${Math.floor(i / 3)}`)));
    expect(labelsIn(tree, 0).sort()).toEqual(['layer.0', 'layer.1', 'v5', 'x']);
    expect(nodesIn(tree, 0)).toHaveLength(6);
    const group = tree.parent.indexOf(0, 1);
    expect(at(tree.size, group)).toBe(3);
  });

  it('dissolves modules around a single thing, which keeps the name', () => {
    const tree = buildHierarchy(graphOf(chain(2, (i) => `block/conv${i}`)));
    const block = at(tree.parent, at(tree.itemOfNode, 0));
    expect(labelsIn(tree, block)).toEqual(['Relu', 'Relu']);
    expect(sublabelOf(tree, at(tree.itemOfNode, 1))).toBe('conv1');
    expect(ancestorsOf(tree, at(tree.itemOfNode, 1))).toEqual([block]);
  });

  it('joins the names of modules that hold one module', () => {
    const tree = buildHierarchy(graphOf(chain(3, () => 'outer/inner')));
    expect(labelsIn(tree, 0)).toContain('outer/inner');
  });

  it('folds constants into their users, not into edges', () => {
    const tree = buildHierarchy(
      graphOf({
        inputs: ['x'],
        outputs: ['b'],
        nodes: [
          { op: 'Constant', outputs: ['c'], flags: NodeFlag.CONSTANT },
          { op: 'Add', inputs: ['x', 'c'], outputs: ['a'] },
          { op: 'Mul', inputs: ['a', 'c'], outputs: ['b'] },
        ],
      }),
    );
    expect(shown(tree, new Set())).toEqual({
      boxes: ['Add', 'Mul', 'x', 'b'],
      edges: ['x → Add', 'Add → Mul', 'Mul → b'],
    });
    expect(at(tree.itemOfNode, 0)).toBe(at(tree.itemOfNode, 1));
  });

  it('stacks inputs that differ by a number', () => {
    const inputs = Array.from({ length: 24 }, (_, i) => `past.${i}.key`);
    const tree = buildHierarchy(
      graphOf({
        inputs: [...inputs, 'x'],
        nodes: [{ op: 'Concat', inputs: [...inputs, 'x'], outputs: ['y'] }],
        outputs: ['y'],
      }),
    );
    expect(shown(tree, new Set()).boxes).toEqual(['Concat', 'past.#.key ×24', 'x', 'y']);
    expect(tree.ports[0]?.values).toHaveLength(24);
    expect(portOf(tree, 0)).toBeUndefined();
  });

  it('draws the bodies of control flow, what they capture and what they give', () => {
    const table = new Table();
    const x = table.value('x', 1);
    const cond = table.value('cond', 1);
    const outer = table.value('outer', 0, 0);
    const result = table.value('result', 0, 1);
    const inner = table.value('inner', 0, 2, '', 1);
    const node = (
      op: string,
      graph: number,
      index: number,
      scope: number,
      inputs: number[],
      outputs: number[],
      flags = 0,
    ) => {
      table.row({
        node_op: table.text(op),
        node_domain: 0,
        node_name: 0,
        node_graph: graph,
        node_index: index,
        node_scope: scope,
        node_flags: flags,
      });
      table.lists('node_inputs', inputs);
      table.lists('node_outputs', outputs);
    };
    const scope = table.scope('If', 0, 2, 1);
    node('Relu', 0, 0, 0, [x], [outer]);
    node('If', 0, 1, 0, [cond], [result], NodeFlag.HAS_BODY);
    node('Neg', 1, 0, scope, [outer], [inner]);
    table.row({ graph_name: 0, graph_kind: 0, graph_owner: -1, graph_attribute: 0 });
    table.lists('graph_inputs', [x, cond]);
    table.lists('graph_outputs', [result]);
    table.row({
      graph_name: 0,
      graph_kind: 1,
      graph_owner: 1,
      graph_attribute: table.text('then_branch'),
    });
    table.lists('graph_inputs', []);
    table.lists('graph_outputs', [inner]);
    const tree = buildHierarchy(buildGraph(table.toColumns()));
    const closed = shown(tree, new Set());
    expect(closed.edges.sort()).toEqual(['If → result', 'Relu → If', 'cond → If', 'x → Relu']);
    const open = shown(tree, new Set([scope]));
    expect(open.edges.sort()).toEqual([
      'Neg → inner',
      'Relu → Neg',
      'cond → If',
      'inner → result',
      'x → Relu',
    ]);
  });
});

describe('what is open at first', () => {
  it('keeps to the budget and opens alike siblings together', () => {
    const tree = buildHierarchy(
      graphOf(chain(1000, (i) => `encoder/layer.${Math.floor(i / 100)}`)),
    );
    const open = openAtFirst(tree, 150);
    expect([...open].map((group) => labelOf(tree, group))).toEqual(['encoder']);
    const wide = openAtFirst(tree, 2000);
    expect(wide.size).toBe(11);
  });

  it('is everything in a small model', () => {
    const tree = buildHierarchy(graphOf(chain(20, (i) => `a/b${i % 2}`)));
    const groups = Array.from({ length: tree.scopeCount - 1 }, (_, i) => i + 1).filter(
      (group) => childCount(tree, group) > 0,
    );
    expect([...openAtFirst(tree)].sort()).toEqual(groups);
  });
});

describe('visible edges', () => {
  it('are lifted to closed groups and counted once', () => {
    const tree = buildHierarchy(graphOf(chain(9, (i) => `layer.${Math.floor(i / 3)}`)));
    expect(shown(tree, new Set()).edges).toEqual([
      'x → layer.0',
      'layer.0 → layer.1',
      'layer.1 → layer.2',
      'layer.2 → v8',
    ]);
  });

  it('of deep nests need no recursion', () => {
    const path = Array.from({ length: 3_000 }, (_, i) => `m${i}`).join('/');
    const model = chain(3, (i) => (i === 2 ? '' : path));
    const tree = buildHierarchy(graphOf(model));
    expect(shown(tree, new Set()).boxes).toHaveLength(4);
  });
});
