/** Chart, table and graph show one selection. */

import type { NodeDetail } from '../../core/wire.gen.js';

/** Node rows by their addresses, which the page names. */
export class NodeNames {
  private readonly rows = new Map<string, number>();

  constructor(details: readonly NodeDetail[]) {
    for (const { node, address } of details) this.rows.set(address, node);
  }

  rowsOf(address: string | undefined): number[] {
    const row = this.rows.get(address ?? '');
    return row === undefined ? [] : [row];
  }
}

/** Make the elements with `data-node` selectable by pointer and keyboard. Returns how to mark the selection. */
export function linkRows(
  names: NodeNames,
  onSelect: (rows: number[]) => void,
): (rows: readonly number[]) => void {
  const elements = new Map<HTMLElement, number[]>();
  for (const element of document.querySelectorAll<HTMLElement>('[data-node]')) {
    const rows = names.rowsOf(element.dataset.node);
    if (rows.length === 0) continue;
    elements.set(element, rows);
    if (element.tabIndex < 0) element.tabIndex = 0;
    element.addEventListener('click', () => onSelect(rows));
    element.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') onSelect(rows);
    });
  }
  return (selected) => {
    const wanted = new Set(selected);
    for (const [element, rows] of elements) {
      element.toggleAttribute(
        'data-selected',
        rows.some((row) => wanted.has(row)),
      );
    }
  };
}
