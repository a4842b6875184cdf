// Writes odd and compressed variants of one GLB: node variants.mjs IN.glb OUT_FOLDER
import { Logger, NodeIO } from '@gltf-transform/core';
import * as ext from '@gltf-transform/extensions';
import * as fn from '@gltf-transform/functions';
import draco3d from 'draco3dgltf';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';

const [input, out] = process.argv.slice(2);
await MeshoptEncoder.ready;
const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.ERROR)).registerExtensions(ext.ALL_EXTENSIONS).registerDependencies({
  'draco3d.encoder': await draco3d.createEncoderModule(),
  'draco3d.decoder': await draco3d.createDecoderModule(),
  'meshopt.encoder': MeshoptEncoder,
  'meshopt.decoder': MeshoptDecoder,
});
const { KHRDracoMeshCompression: Draco, EXTMeshoptCompression: Meshopt } = ext;
const exact = { POSITION: 0, NORMAL: 0, COLOR: 0, TEX_COORD: 0, GENERIC: 0 };
const draco = (options) => (document) => document.createExtension(Draco).setRequired(true).setEncoderOptions(options);
const meshopt = (method) => (document) => document.createExtension(Meshopt).setRequired(true).setEncoderOptions({ method });

const variants = {
  draco_exact: [fn.weld(), draco({ method: 'sequential', quantizationBits: exact })],
  draco: [fn.weld(), draco({ method: 'edgebreaker' })],
  meshopt_exact: [meshopt('quantize')],
  meshopt_quantized: [fn.meshopt({ encoder: MeshoptEncoder, level: 'medium' })],
  meshopt_filtered: [fn.meshopt({ encoder: MeshoptEncoder, level: 'high' })],
  quantized: [fn.quantize({ quantizePosition: 14 })],
  unwelded: [fn.unweld()],
  instanced: [fn.dedup(), fn.instance({ min: 2 })],
  webp: [fn.textureCompress({ encoder: (await import('sharp').catch(() => ({}))).default, targetFormat: 'webp', lossless: true })],
};
for (const [name, steps] of Object.entries(variants)) {
  const document = await io.read(input);
  for (const step of steps) await step(document);
  await io.write(`${out}/${name}.glb`, document);
}
await io.write(`${out}/external.gltf`, await io.read(input));
