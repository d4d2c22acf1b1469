"""按净料计算每道菜的成本，金额单位是分。"""
import argparse
import json
import math
import pathlib

TAILS = (800, 1800, 2200, 2800, 3200, 3800, 4800, 5800, 6800, 8800, 10800, 12800)


def price_for(cost_fen: int, target_pct: float) -> int:
    wanted = math.ceil(cost_fen * 100 / target_pct)
    if wanted > TAILS[-1]:
        return math.ceil(wanted / 1000) * 1000 + 800
    return min(TAILS, key=lambda tail: abs(tail - wanted))


def cost_card(card: dict, prices: dict, target_pct: float) -> dict:
    missing, micro = [], 0
    for line in card["ingredients"]:
        row = prices.get(line["item_id"])
        if row is None:
            missing.append(line["item_id"])
            continue
        micro += math.ceil(row["price_fen_per_kg"] * line["grams"] / 10 / row["yield_pct"])
    cost = math.ceil(micro * 1.04 / card["portions"])
    price = price_for(cost, target_pct) if cost else 0
    pct = round(cost * 100 / price, 1) if price else 0.0
    return {"cost_fen": cost, "price_fen": price, "food_cost_pct": pct, "missing": missing}


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("ingredients", "cards", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--target", type=float, required=True)
    args = parser.parse_args()
    rows = json.loads(pathlib.Path(args.ingredients).read_text(encoding="utf-8"))
    prices = {row["item_id"]: row for row in rows}
    cards = [json.loads(p.read_text(encoding="utf-8")) for p in sorted(pathlib.Path(args.cards).glob("D-*.json"))]
    result = {card["id"]: cost_card(card, prices, args.target) for card in cards}
    pathlib.Path(args.out).write_text(json.dumps(result, ensure_ascii=False, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
