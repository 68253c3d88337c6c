/**
 * The report's script: classic, self-contained, no network. It finds in the page
 *
 * - `<div id="onnxlab-graph">`, where the graph goes,
 * - `<script type="application/octet-stream" id="onnxlab-document">`: base64 of the zlib-deflated msgpack of a
 *   `ViewDocument`, with its details,
 * - `<script type="application/json" class="onnxlab-figure" data-target="ID">`: plotly figures, see `views/chart.ts`,
 * - elements with `data-node="ADDRESS"`: rows of tables. The selected ones get the attribute `data-selected`.
 */

import { decodeDocument } from '../../core/document.js';
import { staticTransport } from '../../core/transport.js';
import { type MountedView, mount } from '../../views/mount.js';
import { lineOf } from '../errors.js';
import { notice } from '../notice.js';
import { drawFigures } from './figures.js';
import { linkRows, NodeNames } from './links.js';
import { readPayload } from './payload.js';

async function start(place: HTMLElement, payload: HTMLElement): Promise<void> {
  const model = decodeDocument(await readPayload(payload));
  const names = new NodeNames(model.details);
  let view: MountedView | null = null;
  const select = (rows: number[]) => {
    const [first] = rows;
    if (first !== undefined) view?.focusNode(first);
  };
  const markRows = linkRows(names, select);
  const charts = drawFigures(select);
  const mark = (rows: readonly number[]) => {
    markRows(rows);
    for (const chart of charts) chart.mark(rows);
  };
  const colourBy = place.dataset.colourBy ?? model.metrics.find(({ unit }) => unit === 'us')?.key;
  view = mount(place, model, staticTransport(model.details), {
    onSelect: mark,
    ...(colourBy !== undefined && { colourBy }),
  });
  const shown = view;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => shown.refreshTheme());
}

const place = document.getElementById('onnxlab-graph');
const payload = document.getElementById('onnxlab-document');
if (place && payload) {
  start(place, payload).catch((error: unknown) => {
    place.replaceChildren(notice(`The graph cannot be shown: ${lineOf(error)}`));
  });
} else {
  drawFigures(() => undefined);
}
