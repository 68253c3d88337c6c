/** Paints a picture onto a 2D canvas: only what is on screen, only as fine as can be seen. */

import { at, byte, real } from '../core/arrays.js';
import { GLYPH_RATIO, LABEL_PX, PADDING, SUBLABEL_PX } from '../core/boxes.js';
import { textOn } from '../core/colour.js';
import { elide } from '../core/format.js';
import { ItemKind } from '../core/hierarchy.js';
import { TITLE_HEIGHT } from '../core/scene.js';
import { paintArcs } from './arcs.js';
import type { Camera } from './camera.js';
import type { BoxFace, Picture } from './picture.js';

const LEAST_TEXT_PX = 5.5;
const DIMMED = 0.3;
const RADIUS = 4;

export interface View {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly zoom: number;
}

export function paint(
  ctx: CanvasRenderingContext2D,
  camera: Camera,
  pixelRatio: number,
  picture: Picture,
): void {
  const scale = camera.zoom * pixelRatio;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = picture.theme.background;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  ctx.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
  ctx.textBaseline = 'middle';
  const view: View = {
    left: camera.x,
    top: camera.y,
    right: camera.x + camera.width / camera.zoom,
    bottom: camera.y + camera.height / camera.zoom,
    zoom: camera.zoom,
  };
  const { graph } = picture.drawing;
  for (let box = 0; box < graph.item.length; box++)
    if (byte(graph.isOpen, box)) paintGroup(ctx, view, picture, box);
  paintArcs(ctx, view, picture);
  for (let box = 0; box < graph.item.length; box++)
    if (!byte(graph.isOpen, box)) paintBox(ctx, view, picture, box);
}

function isOutside({ drawing: { scene } }: Picture, view: View, box: number): boolean {
  const x = real(scene.x, box);
  const y = real(scene.y, box);
  return (
    x > view.right ||
    y > view.bottom ||
    x + real(scene.w, box) < view.left ||
    y + real(scene.h, box) < view.top
  );
}

function paintGroup(
  ctx: CanvasRenderingContext2D,
  view: View,
  picture: Picture,
  box: number,
): void {
  if (isOutside(picture, view, box)) return;
  const { graph, scene } = picture.drawing;
  const { theme } = picture;
  const [x, y, w, h] = [
    real(scene.x, box),
    real(scene.y, box),
    real(scene.w, box),
    real(scene.h, box),
  ];
  let depth = 0;
  for (let up = at(graph.parent, box); up >= 0; up = at(graph.parent, up)) depth++;
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, RADIUS + 2);
  ctx.fillStyle = depth % 2 === 0 ? theme.group : theme.groupAlternate;
  ctx.fill();
  outline(ctx, view, picture, box, theme.groupBorder);
  // A title keeps a readable size while its group is large enough for it.
  const px = Math.min(LABEL_PX, Math.max(9.5, LABEL_PX * view.zoom));
  if (h * view.zoom < 2.2 * px || TITLE_HEIGHT * view.zoom < px * 0.75) return;
  const face = picture.faces.of(at(graph.item, box));
  const size = px / view.zoom;
  const metric = face.metric && ` · ${face.metric}`;
  const room = Math.floor((w - 2 * PADDING) / (size * GLYPH_RATIO)) - 2 - metric.length;
  if (room < 3) return;
  ctx.font = `600 ${size}px ${theme.codeFont}`;
  ctx.fillStyle = theme.text;
  ctx.textAlign = 'left';
  ctx.fillText(`▾ ${elide(face.label, room)}`, x + PADDING, y + TITLE_HEIGHT / 2 + 1);
  if (!metric) return;
  ctx.textAlign = 'right';
  ctx.font = `${size}px ${theme.codeFont}`;
  ctx.fillStyle = theme.muted;
  ctx.fillText(face.metric, x + w - PADDING, y + TITLE_HEIGHT / 2 + 1);
}

function paintBox(ctx: CanvasRenderingContext2D, view: View, picture: Picture, box: number): void {
  if (isOutside(picture, view, box)) return;
  const { graph, scene } = picture.drawing;
  const { theme } = picture;
  const item = at(graph.item, box);
  const face = picture.faces.of(item);
  const [x, y, w, h] = [
    real(scene.x, box),
    real(scene.y, box),
    real(scene.w, box),
    real(scene.h, box),
  ];
  const isPort = face.kind === ItemKind.PORT;
  const isGroup = face.kind === ItemKind.GROUP && face.count !== '';
  ctx.globalAlpha = isDimmed(picture, item) ? DIMMED : 1;
  const fill = face.fill || (isPort ? theme.port : theme.box);
  if (isGroup && h * view.zoom > 8) paintSheet(ctx, picture, x, y, w, h);
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, isPort ? h / 2 : RADIUS);
  ctx.fillStyle = fill;
  ctx.fill();
  if (face.stripe) {
    ctx.save();
    ctx.clip();
    ctx.fillStyle = face.stripe;
    ctx.fillRect(x, y, 5, h);
    ctx.restore();
  }
  outline(ctx, view, picture, box, theme.boxBorder);
  if (LABEL_PX * view.zoom >= LEAST_TEXT_PX) paintTexts(ctx, picture, face, fill, x, y, w, h);
  ctx.globalAlpha = 1;
}

/** A second sheet behind a closed group: there is more inside. */
function paintSheet(
  ctx: CanvasRenderingContext2D,
  { theme }: Picture,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  ctx.beginPath();
  ctx.roundRect(x + 3, y + 3, w, h, RADIUS);
  ctx.fillStyle = theme.groupAlternate;
  ctx.fill();
  ctx.strokeStyle = theme.boxBorder;
  ctx.lineWidth = 1;
  ctx.stroke();
}

function paintTexts(
  ctx: CanvasRenderingContext2D,
  { theme }: Picture,
  face: BoxFace,
  fill: string,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  const isPort = face.kind === ItemKind.PORT;
  const ink = face.fill ? textOn(fill) : theme.text;
  const faint = face.fill ? ink : theme.muted;
  const middle = face.sublabel ? y + 13.5 : y + h / 2 + 0.5;
  ctx.font = `${isPort ? 400 : 600} ${LABEL_PX}px ${theme.codeFont}`;
  ctx.fillStyle = ink;
  ctx.textAlign = isPort ? 'center' : 'left';
  ctx.fillText(face.label, isPort ? x + w / 2 : x + PADDING + 2, middle);
  ctx.textAlign = 'right';
  ctx.font = `${SUBLABEL_PX}px ${theme.codeFont}`;
  ctx.fillStyle = faint;
  const beside = [face.metric, face.count].filter(Boolean).join('  ');
  if (beside) ctx.fillText(beside, x + w - PADDING + 2, middle);
  if (!face.sublabel) return;
  ctx.textAlign = 'left';
  ctx.fillText(face.sublabel, x + PADDING + 2, y + 28.5);
}

function isDimmed({ matched, selected, focused }: Picture, item: number): boolean {
  return matched !== null && !matched.has(item) && !selected.has(item) && item !== focused;
}

function outline(
  ctx: CanvasRenderingContext2D,
  view: View,
  picture: Picture,
  box: number,
  plain: string,
): void {
  const item = at(picture.drawing.graph.item, box);
  const { theme } = picture;
  const onePixel = 1 / view.zoom;
  ctx.strokeStyle = plain;
  ctx.lineWidth = Math.max(1, onePixel * 0.8);
  if (picture.matched?.has(item)) mark(ctx, theme.match, 2 * Math.max(1, onePixel));
  else if (box === picture.hovered) mark(ctx, theme.accent, Math.max(1, onePixel));
  if (picture.selected.has(item)) mark(ctx, theme.accent, 2 * Math.max(1, onePixel));
  if (item === picture.focused) mark(ctx, theme.accent, 3 * Math.max(1, onePixel));
  ctx.stroke();
}

function mark(ctx: CanvasRenderingContext2D, colour: string, width: number): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
}
