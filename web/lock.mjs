// Takes addresses of who pays for a package out of the lock, which shall hold versions and hashes only.
import { readFileSync, writeFileSync } from "node:fs";

const place = new URL("package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(place, "utf8"));
for (const each of Object.values(lock.packages)) delete each.funding;
writeFileSync(place, `${JSON.stringify(lock, null, 2)}\n`);
