/** Keys act only while the graph has the focus. */

import type { Controller } from './controller.js';

export const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', 'travel along edges'],
  ['← →', 'to the box beside'],
  ['Enter', 'open or close a group'],
  ['Esc', 'close the group, climb out'],
  ['f', 'fit the whole graph'],
  ['+ −', 'zoom'],
  ['/', 'search'],
  ['n N', 'next, previous match'],
  ['t', 'table of nodes'],
  ['?', 'these keys'],
];

export function onKey(controller: Controller, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = actionFor(controller, event.key);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

function actionFor(controller: Controller, key: string): (() => void) | null {
  switch (key) {
    case 'ArrowUp':
      return () => controller.travel('up');
    case 'ArrowDown':
      return () => controller.travel('down');
    case 'ArrowLeft':
      return () => controller.travel('left');
    case 'ArrowRight':
      return () => controller.travel('right');
    case 'Enter':
      return () => controller.enter();
    case 'Escape':
      return () =>
        controller.store.isHelpOpen.value ? controller.toggleHelp() : controller.climb();
    case 'f':
      return () => controller.fit();
    case '+':
    case '=':
      return () => controller.zoomBy(1.25);
    case '-':
      return () => controller.zoomBy(0.8);
    case '/':
      return () => controller.focusSearch();
    case 'n':
      return () => controller.step(1);
    case 'N':
      return () => controller.step(-1);
    case 't':
      return () => controller.toggleTable();
    case '?':
      return () => controller.toggleHelp();
    default:
      return null;
  }
}
