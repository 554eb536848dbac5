// Writes zip files without an external program. Identical entries produce identical bytes.
import { crc32, deflateRawSync } from "node:zlib";

/** January 1, 1980 as an MS-DOS date, the earliest date that a zip entry can have. */
const DATE = 0x21;
const DEFLATE = 8;
const VERSION = 20;

/**
 * Creates a zip file with the entries in the given order.
 *
 * @param {readonly { readonly name: string, readonly content: Buffer }[]} entries
 */
export function createZip(entries) {
  const files = [];
  const directory = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(content, { level: 9 });
    const header = Buffer.alloc(26);
    header.writeUInt16LE(VERSION, 0);
    header.writeUInt16LE(DEFLATE, 4);
    header.writeUInt16LE(DATE, 8);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    files.push(Buffer.from("PK\x03\x04"), header, path, packed);
    // A central directory record: signature, version made by, the shared fields, then comment length, disk number,
    // attributes and offset of the local header.
    directory.push(Buffer.from("PK\x01\x02"), Buffer.from([VERSION, 0]), header, place, path);
    offset += 4 + header.length + path.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, listing, Buffer.from("PK\x05\x06"), end]);
}
