// Whether an element is on the screen, or about to be. What is not seen is neither loaded nor drawn.
import { type RefObject, useEffect, useLayoutEffect, useState } from "react";

const marginPx = 240;

export function useSeen(element: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  // What is on the screen at first is known at once: an observer would say so a frame or two later, which is early enough for what is about to be.
  useLayoutEffect(() => {
    const place = element.current?.getBoundingClientRect();
    if (place !== undefined) setSeen(place.top < innerHeight && place.bottom > 0);
  }, [element]);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => setSeen(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: `${marginPx}px`,
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isSeen;
}
