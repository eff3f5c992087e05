// What the page of a run carries, unpacked.

async function inflated(packed: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

export async function unpackedText(packed: string): Promise<string> {
  return new TextDecoder().decode(await inflated(packed));
}

export async function unpackedFloats(packed: string): Promise<Float32Array> {
  return new Float32Array(await inflated(packed));
}
