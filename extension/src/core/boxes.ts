/** How large a box is: from its text, before anything is drawn. */

import { canOpen, type Hierarchy, ItemKind, kindOf, labelOf, sublabelOf } from './hierarchy.js';
import type { Size } from './visible.js';

/** Sizes in CSS pixels at zoom 1. Model text stands in a code font: its width is known by count. */
export const LABEL_PX = 12;
export const SUBLABEL_PX = 10.5;
export const GLYPH_RATIO = 0.62;
export const PADDING = 10;
export const LABEL_LIMIT = 30;
const METRIC_WIDTH = 58;
/** Room for how many nodes a closed group holds, "128 ▸". */
const COUNT_WIDTH = 40;

const ONE_LINE = 26;
const TWO_LINES = 40;
const PORT_HEIGHT = 22;

export function boxSize(tree: Hierarchy, item: number, hasMetrics: boolean): Size {
  const label = Math.min(LABEL_LIMIT, labelOf(tree, item).length) * LABEL_PX * GLYPH_RATIO;
  const kind = kindOf(tree, item);
  if (kind === ItemKind.PORT)
    return { width: Math.max(40, label + 2 * PADDING), height: PORT_HEIGHT };
  const sublabel = sublabelOf(tree, item);
  const small = Math.min(LABEL_LIMIT, sublabel.length) * SUBLABEL_PX * GLYPH_RATIO;
  const beside = (hasMetrics ? METRIC_WIDTH : 0) + (canOpen(tree, item) ? COUNT_WIDTH : 0);
  return {
    width: Math.max(64, Math.max(label + beside, small) + 2 * PADDING + 4),
    height: sublabel ? TWO_LINES : ONE_LINE,
  };
}
