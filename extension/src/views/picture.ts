/** What is to be painted beside places: texts, colours and marks per box, worked out once each. */

import { at, byte, real } from '../core/arrays.js';
import { LABEL_LIMIT } from '../core/boxes.js';
import { FAMILY_COLOURS, type Family, familyOf, heat, logPlace } from '../core/colour.js';
import { opOf } from '../core/document.js';
import { elide, oneLine, quantity } from '../core/format.js';
import {
  canOpen,
  type Hierarchy,
  ItemKind,
  kindOf,
  labelOf,
  nodeOf,
  sublabelOf,
} from '../core/hierarchy.js';
import type { MetricColumn, Range } from '../core/metrics.js';
import type { Drawing } from '../core/store.js';
import type { EdgeLabel } from './labels.js';
import { familyGround, type Theme } from './theme.js';

export interface BoxFace {
  readonly label: string;
  readonly sublabel: string;
  /** "128 ▸" on a closed group. */
  readonly count: string;
  readonly metric: string;
  /** Stripe of the op's family; empty for groups and ports. */
  readonly stripe: string;
  /** Heat; empty where there is no number. */
  readonly fill: string;
  /** What stands under the text where there is no heat. */
  readonly ground: string;
  readonly kind: number;
}

/** All that a frame is painted from. */
export interface Picture {
  readonly drawing: Drawing;
  readonly theme: Theme;
  readonly faces: Faces;
  /** Only asked for where they can be read. */
  labels(): readonly EdgeLabel[];
  readonly selected: ReadonlySet<number>;
  readonly focused: number;
  readonly hovered: number;
  readonly matched: ReadonlySet<number> | null;
  /** Per arc: 1 where it belongs to the focused or hovered box. */
  readonly lit: Uint8Array | null;
}

/** Texts and colours of boxes, made when first asked for. */
export class Faces {
  private readonly known = new Map<number, BoxFace>();
  constructor(
    private readonly tree: Hierarchy,
    private readonly theme: Theme,
    private readonly metric: MetricColumn | null,
    private readonly values: Float64Array | null,
    private readonly range: Range,
    private readonly wordFor: (node: number) => string,
  ) {}

  of(item: number): BoxFace {
    let face = this.known.get(item);
    if (!face) {
      face = this.make(item);
      this.known.set(item, face);
    }
    return face;
  }

  private groundOf(kind: number, family: Family | null): string {
    const { theme, metric } = this;
    if (kind === ItemKind.PORT) return theme.port;
    return family && !metric ? familyGround(theme, family) : theme.box;
  }

  private make(item: number): BoxFace {
    const { tree, metric } = this;
    const kind = kindOf(tree, item);
    const node = nodeOf(tree, item);
    const value = this.values ? real(this.values, item) : Number.NaN;
    const isClosedGroup = canOpen(tree, item);
    const hasValue = metric !== null && Number.isFinite(value);
    const isOperator = kind !== ItemKind.PORT && node >= 0;
    const family = isOperator ? familyOf(opOf(tree.graph, node)) : null;
    return {
      label: elide(oneLine(labelOf(tree, item)), LABEL_LIMIT),
      sublabel: elide(oneLine(sublabelOf(tree, item)), LABEL_LIMIT),
      count: isClosedGroup ? `${quantity(at(tree.size, item), 'count')} ▸` : '',
      metric: hasValue
        ? quantity(value, metric.unit, metric.estimated)
        : isOperator
          ? this.wordFor(node)
          : '',
      stripe: family ? FAMILY_COLOURS[this.theme.kind][family] : '',
      fill: hasValue ? heat(logPlace(value, this.range.low, this.range.high), this.theme.kind) : '',
      ground: this.groundOf(kind, family),
      kind,
    };
  }
}

/** Marks the arcs of a box: all that its data takes, and the way to it from each of its sources. */
export function litArcs({ scene }: Drawing, box: number): Uint8Array | null {
  if (box < 0) return null;
  const lit = new Uint8Array(scene.arcSource.length);
  for (let arc = 0; arc < lit.length; arc++) {
    if (at(scene.arcSource, arc) === box) lit[arc] = 1;
    if (at(scene.arcTarget, arc) !== box) continue;
    for (let piece = arc; piece >= 0 && !byte(lit, piece); piece = at(scene.arcBefore, piece))
      lit[piece] = 1;
  }
  return lit;
}
