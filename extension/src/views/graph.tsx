/** The canvas with what floats above it: breadcrumbs, tooltip, legend, keys. */

import { useEffect, useRef } from 'preact/hooks';
import type { Controller } from './controller.js';
import { onKey } from './keys.js';

export function Graph({ controller }: { controller: Controller }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current ? controller.attach(canvas.current) : undefined), [controller]);
  return (
    <div class="onnxlab-graph">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a canvas that handles keys is an application. */}
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={`Graph of ${controller.store.document.value.header.name}. Arrow keys travel along edges, question mark lists the keys.`}
        onKeyDown={(event) => onKey(controller, event)}
      />
    </div>
  );
}
