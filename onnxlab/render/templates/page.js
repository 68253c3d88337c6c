/* Unpacks and starts the scripts of the page, and sorts its tables. */
(() => {
  'use strict';

  async function inflate(element) {
    const bytes = Uint8Array.from(atob(element.textContent.trim()), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(stream).text();
  }

  async function start() {
    for (const packed of document.querySelectorAll('script[data-packed]')) {
      const script = document.createElement('script');
      script.textContent = await inflate(packed); // the policy allows it by its hash
      document.head.append(script);
      packed.remove();
    }
  }

  function keyOf(row, column) {
    const cell = row.cells[column];
    const key = cell.dataset.key;
    return key === undefined ? cell.textContent.trim() : Number.parseFloat(key);
  }

  function compare(a, b) {
    if (typeof a === 'string') return a.localeCompare(b, undefined, { numeric: true });
    return (Number.isNaN(a) ? -1 : a) - (Number.isNaN(b) ? -1 : b);
  }

  function sortBy(header) {
    const table = header.closest('table');
    const column = header.cellIndex;
    const isNumber = header.classList.contains('number');
    const was = header.getAttribute('aria-sort');
    const sign = was ? (was === 'ascending' ? -1 : 1) : isNumber ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    header.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => sign * compare(keyOf(a, column), keyOf(b, column)));
    table.tBodies[0].append(...rows);
  }

  for (const button of document.querySelectorAll('table.sortable th > button')) {
    button.addEventListener('click', () => sortBy(button.parentElement));
  }

  start().catch((error) => {
    const place = document.getElementById('onnxlab-graph');
    if (place) place.textContent = `This browser cannot draw the graph: ${error.message}`;
  });
})();
