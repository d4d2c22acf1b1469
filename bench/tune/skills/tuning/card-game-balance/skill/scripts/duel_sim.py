"""Greedy duels between random decks; the focus card is forced into one of them."""

import argparse
import json
import random

DECK, HAND, LIFE, MAX_TURNS = 20, 4, 20, 30


def deck(cards, focus, rng):
    chosen = [rng.choice(cards) for _ in range(DECK)]
    if focus:
        chosen[:2] = [focus, focus]
    rng.shuffle(chosen)
    return chosen


def duel(cards, focus, rng):
    sides = [{"life": LIFE, "deck": deck(cards, f, rng), "hand": [], "board": []} for f in (focus, None)]
    for side in sides:
        side["hand"] = [side["deck"].pop() for _ in range(HAND)]
    first, seen = rng.randrange(2), None
    for turn in range(1, MAX_TURNS + 1):
        for who in (first, 1 - first):
            me, foe = sides[who], sides[1 - who]
            if me["deck"]:
                me["hand"].append(me["deck"].pop())
            foe["life"] -= sum(attack for attack, _ in me["board"])
            mana = min(turn, 10)
            for card in sorted(me["hand"], key=lambda c: -c["cost"]):
                if card["cost"] > mana:
                    continue
                mana -= card["cost"]
                me["hand"].remove(card)
                if who == 0 and focus and card["id"] == focus["id"] and seen is None:
                    seen = turn
                play(card, me, foe)
            if foe["life"] <= 0:
                return who == 0, seen
    return sides[0]["life"] > sides[1]["life"], seen


def play(card, me, foe):
    foe["life"] -= card.get("damage", 0)
    for _ in range(min(card.get("draw", 0), len(me["deck"]))):
        me["hand"].append(me["deck"].pop())
    if card["kind"] == "unit":
        if "rush" in card.get("keywords", []):
            foe["life"] -= card["attack"]
        if foe["board"] and foe["board"][0][1] <= card["attack"]:
            foe["board"].pop(0)
        if "fragile" not in card.get("keywords", []):
            me["board"].append((card["attack"], card["health"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cards")
    parser.add_argument("--focus", required=True)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    with open(args.cards, encoding="utf-8") as handle:
        cards = json.load(handle)
    focus = next(card for card in cards if card["id"] == args.focus)
    rng = random.Random(args.seed)
    results = [duel(cards, focus, rng) for _ in range(args.games)]
    turns = [turn for _, turn in results if turn is not None]
    print(json.dumps({
        "card": args.focus,
        "win_rate": round(sum(won for won, _ in results) / args.games, 3),
        "played_turn": round(sum(turns) / len(turns), 1) if turns else None,
        "games": args.games,
    }))


if __name__ == "__main__":
    main()
