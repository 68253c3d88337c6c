export type Core = typeof import('../core.js');

/** Load what draws models, once the first one is opened. */
export function loadCore(): Promise<Core> {
  return import('../core.js');
}
