declare module "cluster-key-slot" {
  function keySlot(key: string | Uint8Array): number;
  export = keySlot;
}
