/** Checked-once access to typed arrays: the index is known to be in range, the compiler is not. */

/** The element of an int32 column. */
export function at(array: Int32Array, index: number): number {
  return array[index] as number;
}

/** The element of a float64 column. */
export function real(array: Float64Array, index: number): number {
  return array[index] as number;
}

/** The element of a uint8 column. */
export function byte(array: Uint8Array, index: number): number {
  return array[index] as number;
}

/** Add to an element of an int32 column; gives the value it had before. */
export function bump(array: Int32Array, index: number, by = 1): number {
  const before = array[index] as number;
  array[index] = before + by;
  return before;
}

/** Lists per key: the items of key k are `items[start[k] .. start[k + 1])`. */
export interface Ragged {
  readonly start: Int32Array;
  readonly items: Int32Array;
}

/** Distribute `items` (by default their positions) over `keyCount` lists; a key of -1 drops one. */
export function ragged(keyCount: number, keys: Int32Array, items?: Int32Array): Ragged {
  const start = new Int32Array(keyCount + 1);
  for (let i = 0; i < keys.length; i++) {
    const key = at(keys, i);
    if (key >= 0) bump(start, key + 1);
  }
  for (let k = 0; k < keyCount; k++) bump(start, k + 1, at(start, k));
  const next = start.slice();
  const out = new Int32Array(at(start, keyCount));
  for (let i = 0; i < keys.length; i++) {
    const key = at(keys, i);
    if (key >= 0) out[bump(next, key)] = items ? at(items, i) : i;
  }
  return { start, items: out };
}

/** A growing int32 list. */
export class IntList {
  private data = new Int32Array(16);
  length = 0;

  push(value: number): number {
    if (this.length === this.data.length) {
      const grown = new Int32Array(this.data.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length] = value;
    return this.length++;
  }

  get(index: number): number {
    return this.data[index] as number;
  }

  set(index: number, value: number): void {
    this.data[index] = value;
  }

  pop(): number {
    return this.data[--this.length] as number;
  }

  toArray(): Int32Array {
    return this.data.slice(0, this.length);
  }
}
