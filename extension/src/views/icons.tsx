/** Small line icons in the colour of their text. */

const PATHS = {
  collapse: 'M3 3h10v10H3zM5.5 8h5',
  expand: 'M3 3h10v10H3zM5.5 8h5M8 5.5v5',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6 3.5v9',
  help: 'M6 6a2 2 0 1 1 2.6 1.9c-.5.2-.6.6-.6 1.3M8 11.4v.6',
  previous: 'M10 3.5 5.5 8 10 12.5',
  next: 'M6 3.5 10.5 8 6 12.5',
  search: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.5 3.5',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="onnxlab-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
