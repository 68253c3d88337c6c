/** Paints a picture onto a 2D canvas: only what is on screen, only as fine as can be seen. */

import { at, byte, real } from '../core/arrays.js';
import { LABEL_PX, PADDING, SUBLABEL_PX } from '../core/boxes.js';
import { textOn } from '../core/colour.js';
import { ItemKind } from '../core/hierarchy.js';
import { paintArcs } from './arcs.js';
import type { Camera } from './camera.js';
import { paintGround, paintTitle } from './groups.js';
import { paintLabels } from './labels.js';
import { isOutside, outline, type View } from './marks.js';
import type { BoxFace, Picture } from './picture.js';

const LEAST_TEXT_PX = 5.5;
/** Lower boxes are painted as plain rectangles. */
const LEAST_SHAPE_PX = 5;
const DIMMED = 0.3;
const RADIUS = 4;

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
    if (byte(graph.isOpen, box)) paintGround(ctx, view, picture, box);
  paintArcs(ctx, view, picture);
  paintLabels(ctx, view, picture);
  for (let box = 0; box < graph.item.length; box++)
    if (byte(graph.isOpen, box)) paintTitle(ctx, view, picture, box);
  for (let box = 0; box < graph.item.length; box++)
    if (!byte(graph.isOpen, box)) paintBox(ctx, view, picture, box);
}

function paintBox(ctx: CanvasRenderingContext2D, view: View, picture: Picture, box: number): void {
  if (isOutside(picture, view, box)) return;
  const { graph, scene } = picture.drawing;
  if (real(scene.h, box) * view.zoom < LEAST_SHAPE_PX) {
    paintSpeck(ctx, view, picture, box);
    return;
  }
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
  const fill = face.fill || face.ground;
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

/** From far away a box is its colour and whether it is marked. */
function paintSpeck(
  ctx: CanvasRenderingContext2D,
  view: View,
  picture: Picture,
  box: number,
): void {
  const { graph, scene } = picture.drawing;
  const item = at(graph.item, box);
  const face = picture.faces.of(item);
  const isMarked = picture.matched?.has(item) || picture.selected.has(item);
  const grow = isMarked ? 2 / view.zoom : 0;
  if (isMarked)
    ctx.fillStyle = picture.selected.has(item) ? picture.theme.accent : picture.theme.match;
  else ctx.fillStyle = face.fill || face.stripe || picture.theme.boxBorder;
  ctx.fillRect(
    real(scene.x, box) - grow,
    real(scene.y, box) - grow,
    real(scene.w, box) + 2 * grow,
    real(scene.h, box) + 2 * grow,
  );
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
