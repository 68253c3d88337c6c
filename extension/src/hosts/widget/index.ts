/**
 * The widget's own script: a loader. anywidget keeps it in the state of every instance, so it is small; what draws
 * comes once per page (`core_once.ts`), the model on request.
 */

import type { RenderProps } from '@anywidget/types';
import type { Transport } from '../../core/transport.js';
import type { Response } from '../../core/wire.gen.js';
import type { MountedView } from '../../views/mount.js';
import { lineOf } from '../errors.js';
import { notice } from '../notice.js';
import { type Channel, openChannel } from './channel.js';
import { type CoreModule, loadCore } from './core_once.js';
import { onThemeChange } from './theme.js';

interface State {
  _core: string;
  _revision: number;
  selected: number[];
  colour_by: string | null;
  height: number;
}

const PATIENCE_MS = 1_500;
/** Below this the view puts its panel under the graph, and needs room for both. */
const NARROW_PX = 700;

type Props = RenderProps<State>;

function render({ model, el }: Props): () => void {
  const channel = openChannel(model as Parameters<typeof openChannel>[0]);
  const place = document.createElement('div');
  // The view's keys are its own: the notebook would move to another cell.
  place.dataset.lmSuppressShortcuts = 'true';
  const setHeight = () => {
    const isNarrow = place.clientWidth > 0 && place.clientWidth < NARROW_PX;
    place.style.height = `${model.get('height') * (isNarrow ? 1.5 : 1)}px`;
  };
  setHeight();
  el.replaceChildren(place);
  const widthObserver = new ResizeObserver(setHeight);
  widthObserver.observe(place);

  let close: (() => void) | null = null;
  let closed = false;
  const start = async () => {
    const late = setTimeout(() => say('Waiting for the kernel …'), PATIENCE_MS);
    try {
      const { module, css } = await loadCore(model.get('_core'), channel);
      const bytes = await fetchDocument(channel);
      if (closed) return;
      clearTimeout(late);
      place.replaceChildren(styleOf(css));
      const view = mountIn(place, module, bytes, channel, model);
      close = connect(view, module, channel, model);
    } catch (error) {
      clearTimeout(late);
      if (!closed) say(lineOf(error), start);
    }
  };
  const say = (sentence: string, again?: () => Promise<void>) => {
    const action = again && { label: 'Try again', run: () => void again() };
    place.replaceChildren(notice(sentence, action));
  };

  model.on('change:height', setHeight);
  void start();
  return () => {
    closed = true;
    widthObserver.disconnect();
    model.off('change:height', setHeight);
    close?.();
    channel.dispose();
  };
}

async function fetchDocument(channel: Channel): Promise<Uint8Array> {
  const [bytes] = await channel.ask('document');
  if (!bytes) throw new Error('The kernel sent no model: run the cell again.');
  return bytes;
}

/** In the view's own tree, so that it also holds inside a shadow root. */
function styleOf(css: string): HTMLStyleElement {
  const style = document.createElement('style');
  style.textContent = css;
  return style;
}

function mountIn(
  place: HTMLElement,
  module: CoreModule,
  bytes: Uint8Array,
  channel: Channel,
  model: Props['model'],
): MountedView {
  const element = document.createElement('div');
  element.style.height = '100%';
  place.append(element);
  const transport: Transport = {
    async request(request, signal) {
      const body = module.encode(request);
      const [answer] = await channel.ask('request', { body, ...(signal && { signal }) });
      if (!answer) throw new Error('The kernel sent an empty answer.');
      return module.decode(answer) as Response;
    },
  };
  const colourBy = model.get('colour_by');
  return module.mount(element, module.decodeDocument(bytes), transport, {
    selected: model.get('selected'),
    ...(colourBy && { colourBy }),
    onSelect(nodes) {
      if (sameRows(nodes, model.get('selected'))) return;
      model.set('selected', nodes);
      model.save_changes();
    },
  });
}

/** Keep the view and the kernel's traits alike, until the returned function is called. */
function connect(
  view: MountedView,
  module: CoreModule,
  channel: Channel,
  model: Props['model'],
): () => void {
  const select = () => view.select(model.get('selected'));
  const colour = () => view.colourBy(model.get('colour_by'));
  const refetch = async () => {
    view.setDocument(module.decodeDocument(await fetchDocument(channel)));
  };
  const refresh = () => void refetch().catch(() => undefined); // the old picture stays
  model.on('change:selected', select);
  model.on('change:colour_by', colour);
  model.on('change:_revision', refresh);
  const stopWatching = onThemeChange(() => view.refreshTheme());
  return () => {
    stopWatching();
    model.off('change:selected', select);
    model.off('change:colour_by', colour);
    model.off('change:_revision', refresh);
    view.dispose();
  };
}

function sameRows(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((row, i) => row === other[i]);
}

export default { render };
