import { afterAll, beforeAll, describe } from "vitest";
import { type Opened, Scene, type Spoken } from "./conformance-fixture.ts";
import { exclusion } from "./exclusion.ts";
import { fences } from "./fences.ts";
import { force } from "./force-release.ts";
import { foreign, redissonWakeUps } from "./foreign-holders.ts";
import { lapse } from "./grace-and-min-hold.ts";
import { principals } from "./principals.ts";
import { anyOrder } from "./random-calls.ts";
import { reentry } from "./reentry.ts";
import { renewal } from "./renewal.ts";
import { requests } from "./request-ids.ts";
import { holdOff } from "./reservation.ts";
import { timestamp } from "./timestamp.ts";
import { contention, waiting } from "./waiting.ts";

const ROUNDS = 1000;

/**
 * What a lock promises, whatever its format and wherever it is kept: registers one test a promise, all of them run side
 * by side on keys of their own. What a backend does not have, it says in `lacks`.
 */
export function keepsTheContract(name: string, spoken: Spoken, open: () => Promise<Opened>): void {
  describe.concurrent(name, () => {
    const scene = set(spoken, open);
    for (const promise of [exclusion, reentry, renewal, fences, requests]) promise(scene);
    for (const promise of [principals, waiting, lapse, holdOff, force]) promise(scene);
    for (const promise of [foreign, redissonWakeUps, timestamp, anyOrder]) promise(scene);
  });
}

/** Of the promises those that lie in the way to the server, and not in the scripts: for one more way. */
export function keepsItsWay(name: string, spoken: Spoken, open: () => Promise<Opened>): void {
  describe.concurrent(name, () => {
    const scene = set(spoken, open);
    for (const promise of [exclusion, reentry, requests, waiting, force]) promise(scene);
  });
}

/** The last promise: by itself, because it takes all there is. */
export function keepsCount(name: string, spoken: Spoken, open: () => Promise<Opened>): void {
  describe(`${name} under contention`, () => contention(set(spoken, open), ROUNDS));
}

function set(spoken: Spoken, open: () => Promise<Opened>): Scene {
  const scene = new Scene(spoken);
  beforeAll(async () => {
    scene.opened = await open();
  });
  afterAll(() => scene.opened.close());
  return scene;
}
