/** The model inside the page: base64 of the deflated bytes of a `ViewDocument`. */
export async function readPayload(element: HTMLElement): Promise<Uint8Array> {
  const text = (element.textContent ?? '').trim();
  const deflated = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
