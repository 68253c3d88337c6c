/** Paints opened groups: their ground below the edges, their title above. */

import { at, real } from '../core/arrays.js';
import { GLYPH_RATIO, LABEL_PX, PADDING } from '../core/boxes.js';
import { elide } from '../core/format.js';
import { TITLE_HEIGHT } from '../core/scene.js';
import { isOutside, outline, type View } from './marks.js';
import type { Picture } from './picture.js';

const RADIUS = 6;
const LEAST_TITLE_PX = 9.5;

/** Below the edges. */
export function paintGround(
  ctx: CanvasRenderingContext2D,
  view: View,
  picture: Picture,
  box: number,
): void {
  if (isOutside(picture, view, box)) return;
  const { scene } = picture.drawing;
  ctx.beginPath();
  ctx.roundRect(
    real(scene.x, box),
    real(scene.y, box),
    real(scene.w, box),
    real(scene.h, box),
    RADIUS,
  );
  ctx.fillStyle = groundOf(picture, box);
  ctx.fill();
  outline(ctx, view, picture, box, picture.theme.groupBorder);
}

function groundOf({ theme, drawing: { graph } }: Picture, box: number): string {
  let depth = 0;
  for (let up = at(graph.parent, box); up >= 0; up = at(graph.parent, up)) depth++;
  return depth % 2 === 0 ? theme.group : theme.groupAlternate;
}

/** Above the edges, on a piece of the group's ground: no line runs through it. */
export function paintTitle(
  ctx: CanvasRenderingContext2D,
  view: View,
  picture: Picture,
  box: number,
): void {
  if (isOutside(picture, view, box)) return;
  const { graph, scene } = picture.drawing;
  const { theme } = picture;
  // A title keeps a readable size while its group is large enough for it.
  const px = Math.min(LABEL_PX, Math.max(LEAST_TITLE_PX, LABEL_PX * view.zoom));
  const w = real(scene.w, box);
  if (real(scene.h, box) * view.zoom < 2.2 * px || TITLE_HEIGHT * view.zoom < px * 0.75) return;
  const face = picture.faces.of(at(graph.item, box));
  const size = px / view.zoom;
  const glyph = size * GLYPH_RATIO;
  // It stays on screen while its group does.
  const left = real(scene.x, box) + PADDING;
  const x = Math.max(left, view.left + PADDING / view.zoom);
  const room = Math.floor((w - (x - left) - 2 * PADDING) / glyph) - 2;
  if (room < 3) return;
  const title = `▾ ${elide(face.label, room)}`;
  const metric = face.metric && title.length + face.metric.length + 2 <= room ? face.metric : '';
  const y = real(scene.y, box) + TITLE_HEIGHT / 2 + 1;
  ctx.fillStyle = groundOf(picture, box);
  const length = (title.length + (metric ? metric.length + 2 : 0)) * glyph;
  ctx.fillRect(x - 3, y - size * 0.7, length + 6, size * 1.4);
  ctx.textAlign = 'left';
  ctx.font = `600 ${size}px ${theme.codeFont}`;
  ctx.fillStyle = theme.text;
  ctx.fillText(title, x, y);
  if (!metric) return;
  ctx.font = `${size}px ${theme.codeFont}`;
  ctx.fillStyle = theme.muted;
  ctx.fillText(metric, x + (title.length + 2) * glyph, y);
}
