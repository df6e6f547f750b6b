"""Two tasks that state what they read and write, and one that fails."""

from datetime import datetime

from airflow.sdk import DAG, Asset, task

with DAG("shop", schedule=None, start_date=datetime(2026, 1, 1), tags=["finance"], description="The revenue of the shop."):

    @task(inlets=[Asset("file:///shop/orders.csv")], outlets=[Asset("file:///shop/paid.csv")], doc_md="Leaves out orders of no value.")
    def pay():
        return "paid"

    @task(inlets=[Asset("file:///shop/paid.csv")], outlets=[Asset("file:///shop/revenue.csv")])
    def sum_revenue():
        return "summed"

    @task
    def report():
        raise ValueError("nobody reads reports")

    pay() >> sum_revenue() >> report()
