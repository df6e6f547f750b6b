"""Writes orders that are paid, and the revenue of each customer as files and as a table. The last job fails."""

import sys

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lit, raise_error, sum

folder = sys.argv[1]
spark = SparkSession.builder.appName("Shop Revenue").getOrCreate()
orders = spark.read.option("header", True).schema("id INT, customer STRING, amount INT").csv(folder + "/orders.csv")
orders.where(col("amount") > 5).select("customer", col("amount").alias("paid")).write.parquet(folder + "/paid")
revenue = spark.read.parquet(folder + "/paid").groupBy("customer").agg(sum("paid").alias("total"))
revenue.write.option("header", True).csv(folder + "/revenue")
revenue.write.saveAsTable("revenue")
try:
    spark.read.parquet(folder + "/paid").withColumn("tax", raise_error(lit("unknown rate")).cast("int")).write.parquet(folder + "/taxed")
except Py4JJavaError as failure:
    print("as expected:", failure.java_exception.getClass().getName())
spark.stop()
