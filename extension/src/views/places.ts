/** Where boxes are on screen. */

import { byte, real } from '../core/arrays.js';
import { type Hierarchy, labelOf } from '../core/hierarchy.js';
import type { Drawing } from '../core/store.js';
import type { Camera } from './camera.js';

/** A box as tests and tools see it, in CSS pixels from the canvas's upper left corner. */
export interface BoxPlace {
  /** "node:12", "group:3", "port:0". */
  readonly key: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The boxes on screen, opened groups left out. */
export function placesOf(tree: Hierarchy, { graph, scene }: Drawing, camera: Camera): BoxPlace[] {
  const places: BoxPlace[] = [];
  graph.item.forEach((item, box) => {
    const x = (real(scene.x, box) - camera.x) * camera.zoom;
    const y = (real(scene.y, box) - camera.y) * camera.zoom;
    const w = real(scene.w, box) * camera.zoom;
    const h = real(scene.h, box) * camera.zoom;
    const isOutside = x >= camera.width || y >= camera.height || x + w <= 0 || y + h <= 0;
    if (byte(graph.isOpen, box) || isOutside) return;
    places.push({ key: keyOf(tree, item), label: labelOf(tree, item), x, y, w, h });
  });
  return places;
}

function keyOf(tree: Hierarchy, item: number): string {
  if (item < tree.scopeCount) return `group:${item}`;
  const node = item - tree.scopeCount;
  return node < tree.nodeCount ? `node:${node}` : `port:${node - tree.nodeCount}`;
}

/** The middle of what stands in the first screenful. */
export function topCentre({ graph, scene }: Drawing, depth: number): number {
  const centres: number[] = [];
  for (let box = 0; box < graph.item.length; box++) {
    if (!byte(graph.isOpen, box) && real(scene.y, box) < depth) {
      centres.push(real(scene.x, box) + real(scene.w, box) / 2);
    }
  }
  centres.sort((a, b) => a - b);
  return centres[centres.length >> 1] ?? scene.width / 2;
}
