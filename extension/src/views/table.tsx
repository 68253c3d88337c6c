/** The accessible twin of the canvas: every node as a row; only the rows on screen exist. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { grouped } from '../core/format.js';
import { type Column, columnsOf } from './columns.js';
import type { Controller } from './controller.js';

const ROW_PX = 24;
const SPARE_ROWS = 8;

interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

export function NodeTable({ controller }: { controller: Controller }) {
  const { store } = controller;
  const [sorting, setSorting] = useState<Sorting>({ key: 'row', isDescending: false });
  const [scroll, setScroll] = useState({ top: 0, height: 240 });
  const scroller = useRef<HTMLDivElement>(null);
  const tree = store.tree.value;
  const metrics = store.metrics.value;
  const matches = store.query.value.trim() ? store.matches.value : null;
  const columns = useMemo(() => columnsOf(store), [store, tree, metrics]);
  const rows = useMemo(
    () => sortedRows(matches ?? rowNumbers(tree.nodeCount), columns, sorting),
    [matches, tree, columns, sorting],
  );
  const current = store.selection.value.nodes[0] ?? -1;
  useEffect(() => keepInView(scroller.current, rows.indexOf(current)), [current, rows]);
  const first = Math.max(0, Math.floor(scroll.top / ROW_PX) - SPARE_ROWS);
  const last = Math.min(rows.length, Math.ceil((scroll.top + scroll.height) / ROW_PX) + SPARE_ROWS);
  const onScroll = (event: { currentTarget: HTMLElement }) =>
    setScroll({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = rows[rows.indexOf(current) + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    controller.focusNode(next);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: as below.
    <div
      class="onnxlab-table"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls needs the focus for its keys.
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <table aria-label={`${grouped(rows.length)} nodes`} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} sorting={sorting} onSort={setSorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={columns.length} />
          {Array.from(rows.subarray(first, last), (node, i) => (
            <Row
              key={node}
              node={node}
              index={first + i + 2}
              columns={columns}
              isSelected={store.selection.value.nodes.includes(node)}
              onPick={() => controller.focusNode(node)}
            />
          ))}
          <Spacer rows={rows.length - last} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Heading({
  column,
  sorting,
  onSort,
}: {
  column: Column;
  sorting: Sorting;
  onSort: (sorting: Sorting) => void;
}) {
  const isSorted = sorting.key === column.key;
  const order = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : 'none';
  const sort = () =>
    onSort({
      key: column.key,
      isDescending: isSorted ? !sorting.isDescending : column.isNumber && column.key !== 'row',
    });
  return (
    <th aria-sort={order} class={column.isNumber ? 'onnxlab-number' : ''}>
      <button type="button" onClick={sort}>
        {column.label}
        {isSorted ? (sorting.isDescending ? ' ▾' : ' ▴') : ''}
      </button>
    </th>
  );
}

interface RowProps {
  readonly node: number;
  readonly index: number;
  readonly columns: readonly Column[];
  readonly isSelected: boolean;
  readonly onPick: () => void;
}

function Row({ node, index, columns, isSelected, onPick }: RowProps) {
  return (
    <tr aria-rowindex={index} aria-selected={isSelected} onClick={onPick}>
      {columns.map((column) => {
        const cell = column.cell(node);
        return (
          <td
            key={column.key}
            class={column.isNumber ? 'onnxlab-number' : 'onnxlab-code'}
            title={cell}
          >
            {cell}
          </td>
        );
      })}
    </tr>
  );
}

function Spacer({ rows, columns }: { rows: number; columns: number }) {
  return rows > 0 ? (
    <tr>
      <td colSpan={columns} style={{ height: `${rows * ROW_PX}px`, padding: 0, border: 0 }} />
    </tr>
  ) : null;
}

function rowNumbers(count: number): Int32Array {
  return new Int32Array(count).map((_, i) => i);
}

function sortedRows(rows: Int32Array, columns: readonly Column[], sorting: Sorting): Int32Array {
  const column = columns.find(({ key }) => key === sorting.key);
  if (!column) return rows;
  const sign = sorting.isDescending ? -1 : 1;
  const compare = column.comparer(rows);
  return rows.slice().sort((a, b) => sign * compare(a, b) || a - b);
}

function keepInView(scroller: HTMLElement | null, index: number): void {
  if (!scroller || index < 0) return;
  const top = index * ROW_PX;
  const isAbove = top < scroller.scrollTop;
  const isBelow = top + 2 * ROW_PX > scroller.scrollTop + scroller.clientHeight;
  if (isAbove || isBelow) scroller.scrollTop = Math.max(0, top - scroller.clientHeight / 2);
}
