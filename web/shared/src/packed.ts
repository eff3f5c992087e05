// What a page carries or is told, unpacked; src/andante/pictures/pages.py packs it.

/** The bytes of base64. */
export function bytes(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}

async function inflated(packed: string): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes(packed)]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

export async function unpackedText(packed: string): Promise<string> {
  return new TextDecoder().decode(await inflated(packed));
}

export async function unpackedFloats(packed: string): Promise<Float32Array> {
  return new Float32Array(await inflated(packed));
}
