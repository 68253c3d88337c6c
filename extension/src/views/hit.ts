/** Which box is at a place. */

import { real } from '../core/arrays.js';
import type { Drawing } from '../core/store.js';

/** The innermost box at a scene place, -1 for none: content comes after its group. */
export function boxAt({ graph, scene }: Drawing, x: number, y: number): number {
  for (let box = graph.item.length - 1; box >= 0; box--) {
    const dx = x - real(scene.x, box);
    const dy = y - real(scene.y, box);
    if (dx >= 0 && dy >= 0 && dx <= real(scene.w, box) && dy <= real(scene.h, box)) return box;
  }
  return -1;
}
