/**
 * The graph widget's own script: a loader. anywidget keeps it in the state of every instance, so it is small; what draws
 * comes once per page (`once.ts`), the model on request.
 */

import type { RenderProps } from '@anywidget/types';
import type { Transport } from '../../core/transport.js';
import type { Response } from '../../core/wire.gen.js';
import type { MountedView } from '../../views/mount.js';
import type { Channel, Comm } from './channel.js';
import { type CoreModule, type LoadedCore, loadCore } from './once.js';
import { fetchOne, openPlace } from './place.js';
import { tellSelected } from './selection.js';
import { onThemeChange } from './theme.js';

interface State {
  _core: string;
  _revision: number;
  selected: number[];
  colour_by: string | null;
  height: number;
}

type Model = RenderProps<State>['model'];

interface Fetched {
  readonly core: LoadedCore;
  readonly bytes: Uint8Array;
}

/** Below this the view puts its panel under the graph, and needs room for both. */
const NARROW_PX = 700;

function render({ model, el }: RenderProps<State>): () => void {
  const place = openPlace<Fetched>(model as Comm, el, {
    async fetch(channel) {
      const core = await loadCore(model.get('_core'), channel);
      return { core, bytes: await fetchOne(channel, 'document') };
    },
    draw(element, { core, bytes }, channel) {
      element.append(styleOf(core.css));
      const view = mountIn(element, core.module, bytes, channel, model);
      return connect(view, core.module, channel, model);
    },
  });
  const { element } = place;
  // The view's keys are its own: the notebook would move to another cell.
  element.dataset.lmSuppressShortcuts = 'true';
  const setHeight = () => {
    const isNarrow = element.clientWidth > 0 && element.clientWidth < NARROW_PX;
    element.style.height = `${model.get('height') * (isNarrow ? 1.5 : 1)}px`;
  };
  setHeight();
  const widthObserver = new ResizeObserver(setHeight);
  widthObserver.observe(element);
  model.on('change:height', setHeight);
  return () => {
    widthObserver.disconnect();
    model.off('change:height', setHeight);
    place.close();
  };
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
  model: Model,
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
    onSelect: (nodes) => tellSelected(model, nodes),
  });
}

/** Keep the view and the kernel's traits alike, until the returned function is called. */
function connect(
  view: MountedView,
  module: CoreModule,
  channel: Channel,
  model: Model,
): () => void {
  const select = () => view.select(model.get('selected'));
  const colour = () => view.colourBy(model.get('colour_by'));
  const refetch = async () => {
    view.setDocument(module.decodeDocument(await fetchOne(channel, 'document')));
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

export default { render };
