/** The part of a scene that is on screen. */

import type { Scene } from '../core/scene.js';

const LEAST_ZOOM = 0.005;
const MOST_ZOOM = 4;
const MARGIN_PX = 24;
/** Labels of 12 px are easy to read at this zoom. */
const READABLE_ZOOM = 0.9;

export class Camera {
  /** Scene place of the upper left corner, and CSS pixels per scene unit. */
  x = 0;
  y = 0;
  zoom = 1;
  /** Size of the canvas in CSS pixels. */
  width = 0;
  height = 0;

  toScene(px: number, py: number): { x: number; y: number } {
    return { x: this.x + px / this.zoom, y: this.y + py / this.zoom };
  }

  /** Take the canvas's new size; what was in the middle stays there, and the top at the top. */
  resize(width: number, height: number): void {
    this.x += (this.width - width) / 2 / this.zoom;
    this.width = width;
    this.height = height;
  }

  pan(dx: number, dy: number): void {
    this.x -= dx / this.zoom;
    this.y -= dy / this.zoom;
  }

  /** Zoom so that the scene place under a point stays under it. */
  zoomAt(px: number, py: number, factor: number): void {
    const before = this.toScene(px, py);
    this.zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, this.zoom * factor));
    this.x = before.x - px / this.zoom;
    this.y = before.y - py / this.zoom;
  }

  /** The whole scene; never larger than life. */
  fit(scene: Scene): void {
    this.zoom = Math.max(LEAST_ZOOM, Math.min(1, this.fitZoom(scene)));
    this.x = scene.width / 2 - this.width / 2 / this.zoom;
    this.y = scene.height / 2 - this.height / 2 / this.zoom;
  }

  /** A first look: readable, from the top, where `anchorX` is in the middle. */
  start(scene: Scene, anchorX: number): void {
    this.zoom = Math.min(1, Math.max(READABLE_ZOOM, this.fitZoom(scene)));
    const fitsX = scene.width * this.zoom <= this.width - 2 * MARGIN_PX;
    const fitsY = scene.height * this.zoom <= this.height - 2 * MARGIN_PX;
    const left = anchorX - this.width / 2 / this.zoom;
    const margin = MARGIN_PX / this.zoom;
    // Whatever fits is shown whole, its anchor as near to the middle as that allows.
    const most = scene.width + margin - this.width / this.zoom;
    this.x = fitsX ? Math.min(-margin, Math.max(most, left)) : left;
    this.y = fitsY ? scene.height / 2 - this.height / 2 / this.zoom : -MARGIN_PX / this.zoom;
  }

  /** Bring a rectangle into view, with as little movement as possible. */
  show(x: number, y: number, w: number, h: number): void {
    if (this.zoom < READABLE_ZOOM / 2) this.zoom = READABLE_ZOOM;
    this.x = slide(this.x, this.width / this.zoom, x, w);
    this.y = slide(this.y, this.height / this.zoom, y, h);
  }

  private fitZoom(scene: Scene): number {
    return Math.min(
      (this.width - 2 * MARGIN_PX) / Math.max(1, scene.width),
      (this.height - 2 * MARGIN_PX) / Math.max(1, scene.height),
    );
  }
}

function slide(from: number, length: number, start: number, size: number): number {
  const margin = Math.min(40, Math.max(0, (length - size) / 2));
  if (size > length) return start + size < from + length && start > from ? from : start - margin;
  if (start - margin < from) return centred(start, size, length);
  return start + size + margin > from + length ? centred(start, size, length) : from;
}

function centred(start: number, size: number, length: number): number {
  return start + size / 2 - length / 2;
}
