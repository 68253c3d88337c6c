/** Which item's data goes into which item: once per value and user, weights and constants left out. */

import { at, byte, IntList } from './arrays.js';
import { type Graph, GraphKind, hasFlag, NodeFlag, ValueKind } from './document.js';
import type { Port } from './ports.js';

export interface DataEdges {
  readonly source: Int32Array;
  readonly target: Int32Array;
  readonly value: Int32Array;
}

interface Sink {
  readonly source: IntList;
  readonly target: IntList;
  readonly value: IntList;
}

export function dataEdges(
  graph: Graph,
  ports: readonly Port[],
  itemOfNode: Int32Array,
  firstPort: number,
): DataEdges {
  const sources = new Sources(graph, ports, itemOfNode, firstPort);
  const sink: Sink = { source: new IntList(), target: new IntList(), value: new IntList() };
  for (let node = 0; node < graph.nodeOp.length; node++) {
    const first = at(graph.nodeInputs.start, node);
    for (let i = first; i < at(graph.nodeInputs.start, node + 1); i++) {
      const value = at(graph.nodeInputs.items, i);
      if (value < 0) continue;
      const inner = sources.innerInputs(node, i - first);
      if (inner) for (const item of inner) sources.connect(value, item, sink);
      else sources.connect(value, at(itemOfNode, node), sink);
    }
  }
  ports.forEach((port, i) => {
    if (port.output)
      for (const value of port.values) sources.connect(value, firstPort + i, sink, port.graph);
  });
  return {
    source: sink.source.toArray(),
    target: sink.target.toArray(),
    value: sink.value.toArray(),
  };
}

/** Finds the items a value comes from, through the ports of bodies that are drawn. */
class Sources {
  private readonly inputPort = new Map<number, number>();
  private readonly outputPorts = new Map<number, number[]>();
  private readonly bodies = new Map<number, number[]>();

  constructor(
    private readonly graph: Graph,
    ports: readonly Port[],
    private readonly itemOfNode: Int32Array,
    firstPort: number,
  ) {
    for (let g = 1; g < graph.graphKind.length; g++) {
      const owner = at(graph.graphOwner, g);
      if (owner >= 0) this.bodies.set(owner, [...(this.bodies.get(owner) ?? []), g]);
    }
    ports.forEach((port, i) => {
      if (!port.output) for (const value of port.values) this.inputPort.set(value, firstPort + i);
      else if (port.graph > 0) this.claimOutputs(port, firstPort + i);
    });
  }

  /** An output port of a body gives the owner's output of the same place. */
  private claimOutputs(port: Port, item: number): void {
    const { graph } = this;
    const owner = at(graph.graphOwner, port.graph);
    if (owner < 0) return;
    const shift = this.isLoop(owner) ? 1 : 0;
    const start = at(graph.graphOutputs.start, port.graph);
    for (let k = start; k < at(graph.graphOutputs.start, port.graph + 1); k++) {
      if (!port.values.includes(at(graph.graphOutputs.items, k))) continue;
      const place = at(graph.nodeOutputs.start, owner) + k - start - shift;
      if (k - start < shift || place >= at(graph.nodeOutputs.start, owner + 1)) continue;
      const outer = at(graph.nodeOutputs.items, place);
      this.outputPorts.set(outer, [...(this.outputPorts.get(outer) ?? []), item]);
    }
  }

  private isFolded(node: number): boolean {
    return (
      hasFlag(this.graph, node, NodeFlag.CONSTANT) &&
      at(this.itemOfNode, node) !== this.graph.scopeParent.length + node
    );
  }

  private isLoop(node: number): boolean {
    return this.graph.strings[at(this.graph.nodeOp, node)] === 'Loop';
  }

  /** The input ports, in the bodies of a node, that its input of a place feeds. */
  innerInputs(node: number, place: number): number[] | undefined {
    const items: number[] = [];
    for (const g of this.bodies.get(node) ?? []) {
      const row = at(this.graph.graphInputs.start, g) + place;
      if (row >= at(this.graph.graphInputs.start, g + 1)) continue;
      const item = this.inputPort.get(at(this.graph.graphInputs.items, row));
      if (item !== undefined) items.push(item);
    }
    return items.length > 0 ? items : undefined;
  }

  connect(value: number, target: number, sink: Sink, outputOf = -1): void {
    const { graph } = this;
    const kind = byte(graph.valueKind, value);
    if (kind === ValueKind.NODE_OUTPUT) {
      const producer = at(graph.valueProducer, value);
      if (producer < 0 || this.isFolded(producer)) return;
      const items = this.outputPorts.get(value) ?? [at(this.itemOfNode, producer)];
      for (const source of items) if (source !== target) add(sink, source, target, value);
      return;
    }
    const source = this.inputPort.get(value);
    const passesThrough = outputOf >= 0 && byte(graph.graphKind, outputOf) !== GraphKind.MAIN;
    if (source !== undefined && (source !== target || passesThrough))
      add(sink, source, target, value);
  }
}

function add(sink: Sink, source: number, target: number, value: number): void {
  sink.source.push(source);
  sink.target.push(target);
  sink.value.push(value);
}
