/** From pointer and wheel events to gestures, in CSS pixels from the element's corner. */

export interface Gestures {
  pan(dx: number, dy: number): void;
  zoom(x: number, y: number, factor: number): void;
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  /** -1, -1 when the pointer leaves. */
  hover(x: number, y: number): void;
}

const DRAG_FROM_PX = 4;

export function watchPointer(element: HTMLElement, gestures: Gestures): () => void {
  const stop = new AbortController();
  const options = { signal: stop.signal };
  let last: { x: number; y: number } | null = null;
  let travelled = 0;
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button > 1) return;
      last = { x: event.clientX, y: event.clientY };
      travelled = 0;
      element.setPointerCapture(event.pointerId);
      element.focus({ preventScroll: true });
    },
    options,
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (!last) {
        gestures.hover(event.offsetX, event.offsetY);
        return;
      }
      const dx = event.clientX - last.x;
      const dy = event.clientY - last.y;
      last = { x: event.clientX, y: event.clientY };
      travelled += Math.abs(dx) + Math.abs(dy);
      if (travelled < DRAG_FROM_PX) return;
      gestures.hover(-1, -1);
      gestures.pan(dx, dy);
    },
    options,
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (last && travelled < DRAG_FROM_PX && event.button === 0)
        gestures.click(event.offsetX, event.offsetY);
      last = null;
    },
    options,
  );
  element.addEventListener('pointercancel', () => (last = null), options);
  element.addEventListener('pointerleave', () => gestures.hover(-1, -1), options);
  element.addEventListener(
    'dblclick',
    (event) => gestures.doubleClick(event.offsetX, event.offsetY),
    options,
  );
  element.addEventListener(
    'wheel',
    (event) => {
      // The page scrolls until the view is used: no trap for whoever scrolls past.
      if (!event.ctrlKey && !event.metaKey && !hasFocus(element)) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const speed = event.ctrlKey ? 0.01 : 0.0015;
      const delta = Math.max(-300, Math.min(300, event.deltaY * lines));
      gestures.zoom(event.offsetX, event.offsetY, Math.exp(-delta * speed));
    },
    { ...options, passive: false },
  );
  return () => stop.abort();
}

/** Whether an element has the focus, inside a shadow root too. */
function hasFocus(element: HTMLElement): boolean {
  const tree = element.getRootNode() as Document | ShadowRoot;
  return tree.activeElement === element;
}
