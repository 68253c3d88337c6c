/** The canvas and what floats above it. */

import { useEffect, useRef } from 'preact/hooks';
import type { Controller } from './controller.js';
import { Announcement, Breadcrumbs, Keys, Legend, Tooltip } from './floats.js';
import { onKey } from './keys.js';

export function Graph({ controller }: { controller: Controller }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current ? controller.attach(canvas.current) : undefined), [controller]);
  const { name } = controller.store.document.value.header;
  return (
    <div class="onnxlab-graph">
      <Breadcrumbs controller={controller} />
      <div class="onnxlab-canvas">
        {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a canvas that handles keys is an application. */}
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`Graph of ${name}. Arrow keys travel along edges, question mark lists the keys; the table of nodes holds the same.`}
          onKeyDown={(event) => onKey(controller, event)}
        />
        <Tooltip controller={controller} />
        <Keys controller={controller} />
        {controller.isBusy.value && <div class="onnxlab-busy">Laying out the graph …</div>}
      </div>
      <Legend controller={controller} />
      <Announcement controller={controller} />
    </div>
  );
}
