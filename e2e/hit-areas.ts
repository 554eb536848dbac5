import type { Page } from "@playwright/test";

export interface HitArea {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Measures the touch target of each control that is entirely within the viewport, by finding the element at each point.
 * Touch targets include areas that a pseudo-element or a label adds. Widths and heights are measured up to 61 px.
 *
 * @param part CSS selector of the part of the page to measure
 */
export async function measureHitAreas(page: Page, part = "body"): Promise<HitArea[]> {
  return await page.evaluate((selector) => {
    const REACH_PX = 30;
    const isHit = (control: Element, x: number, y: number) => {
      const hit = document.elementFromPoint(x, y);
      if (hit === null) return false;
      return control.contains(hit) || hit.closest("label")?.contains(control) === true;
    };
    const measure = (control: Element, x: number, y: number, dx: number, dy: number) => {
      let px = 0;
      while (px < REACH_PX && isHit(control, x + dx * (px + 1), y + dy * (px + 1))) px++;
      return px;
    };
    const isInside = ({ left, top, right, bottom, width }: DOMRect, box: DOMRect) =>
      width > 0 && left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom;
    /**
     * Minimum distance in px between a measured control and the edge of a scrollable element, which cuts off touch
     * targets.
     */
    const EDGE_PX = 20;
    const isInsideScrolledParts = (box: DOMRect, control: Element) => {
      for (let part = control.parentElement; part !== null; part = part.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(part);
        const edgeX = part.scrollWidth > part.clientWidth && overflowX !== "visible" ? EDGE_PX : 0;
        const edgeY = part.scrollHeight > part.clientHeight && overflowY !== "visible" ? EDGE_PX : 0;
        if (edgeX === 0 && edgeY === 0) continue;
        const { x, y, width, height } = part.getBoundingClientRect();
        const inner = new DOMRect(x + edgeX, y + edgeY, width - 2 * edgeX, height - 2 * edgeY);
        if (!isInside(box, inner)) return false;
      }
      return true;
    };
    const viewport = new DOMRect(0, 0, innerWidth, innerHeight);
    return [...document.querySelectorAll(`${selector} :is(a[href], button, summary, select, input)`)]
      .filter((control) => {
        const box = control.getBoundingClientRect();
        return isInside(box, viewport) && isInsideScrolledParts(box, control);
      })
      .map((control) => {
        const { left, top, width, height } = control.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        return {
          name: control.getAttribute("aria-label") ?? control.textContent ?? control.tagName,
          width: measure(control, x, y, 1, 0) + measure(control, x, y, -1, 0) + 1,
          height: measure(control, x, y, 0, 1) + measure(control, x, y, 0, -1) + 1,
        };
      });
  }, part);
}
